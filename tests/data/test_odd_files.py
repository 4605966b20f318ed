"""Odd and damaged files: each is read as a person would read it, or refused with a sentence that says where and what."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from multigene.data.reading import read_table
from multigene.data.table import Dialect, Table

AB = [[1.0, 2.5], [3.0, 4.0]]
CSV = b"a,b\n1,2.5\n3,4\n"


def table(content: str | bytes, dialect: Dialect | None = None) -> Table:
    return read_table("-", dialect, io.BytesIO(content.encode() if isinstance(content, str) else content))


def sheet(*rows: list[object]) -> bytes:
    """A workbook with these rows of cells."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return out.getvalue()


def tarred() -> bytes:
    """A tar archive with one file."""
    out, member = io.BytesIO(), tarfile.TarInfo("data.csv")
    member.size = len(CSV)
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(member, io.BytesIO(CSV))
    return out.getvalue()


def saved(method: str, frame: pd.DataFrame, **options: object) -> bytes:
    out = io.BytesIO()
    getattr(frame, method)(out, **options)
    return out.getvalue()


FRAME = pd.DataFrame(AB, columns=["a", "b"])

#: Files that all hold the table a = 1, 3 and b = 2.5, 4.
SAME = {
    "decimal commas": "a;b\n1;2,5\n3;4,0\n",
    "decimal commas in quotes": 'a,b\n"1,0","2,5"\n"3,0","4,0"\n',
    "tabs and decimal commas": "a\tb\n1\t2,5\n3\t4\n",
    "comments above": "# made in 2024\n# by hand\na,b\n1,2.5\n3,4\n",
    "comments between rows": "a,b\n1,2.5\n# a remark\n3,4\n",
    "C++ comments": "// a remark\na,b\n1,2.5\n3,4\n",
    "names in the last comment (NumPy)": "# a b\n1 2.5\n3 4\n",
    "blank lines everywhere": "\n\na,b\n\n1,2.5\n\n\n3,4\n\n",
    "lines of spaces": "a,b\n   \n1,2.5\n3,4\n  \n",
    "a title": "Report of 2024\na,b\n1,2.5\n3,4\n",
    "titles and a blank line": "Report\nMinistry of Numbers\n\na;b\n1;2.5\n3;4\n",
    "a source below": "a,b\n1,2.5\n3,4\nSource: Ministry of Numbers\n",
    "a count of rows below (psql)": " a | b \n---+-----\n 1 | 2.5\n 3 | 4\n(2 rows)\n",
    "totals below": "a,b\n1,2.5\n3,4\nTotal,6.5\n",
    "a Markdown table": "| a | b |\n|---|:---:|\n| 1 | 2.5 |\n| 3 | 4 |\n",
    "rules of dashes": "a  b\n-------\n1  2.5\n3  4\n",
    "sep= of Excel": "sep=;\na;b\n1;2.5\n3;4\n",
    "the header again (joined files)": "a,b\n1,2.5\na,b\n3,4\n",
    "a line of units": "a,b\nmm,kg\n1,2.5\n3,4\n",
    "a line of units in brackets": "a;b\n[mm];[kg]\n1;2,5\n3;4,0\n",
    "units in the header": "a [mm],b (kg)\n1,2.5\n3,4\n",
    "units behind numbers": "a,b\n1 mm,2.5 kg\n3 mm,4 kg\n",
    "percent": "a,b\n1%,2.5 %\n3%,4 %\n",
    "dollars": "a,b\n$1,$2.50\n$3,$4.00\n",
    "euros behind": "a;b\n1 €;2,50 €\n3 €;4,00 €\n",
    "currency codes": "a,b\nUSD 1,USD 2.5\nUSD 3,USD 4\n",
    "plus signs": "a,b\n+1,+2.5\n+3,+4\n",
    "exponents": "a,b\n1e0,25E-1\n3e0,4E+0\n",
    "Windows line ends": "a,b\r\n1,2.5\r\n3,4\r\n",
    "old Macintosh line ends": "a,b\r1,2.5\r3,4\r",
    "no line end at the end": "a,b\n1,2.5\n3,4",
    "a byte-order mark": b"\xef\xbb\xbf" + CSV,
    "UTF-16 with a mark": "a,b\n1,2.5\n3,4\n".encode("utf-16"),
    "UTF-16 without a mark": "a,b\n1,2.5\n3,4\n".encode("utf-16-le"),
    "spaces around": " a , b \n 1 , 2.5 \n 3 , 4 \n",
    "hard spaces": "a,b\n1\u00a0,2.5\u00a0\n3\u00a0,4\u00a0\n",
    "a separator at the end of every line": "a,b,\n1,2.5,\n3,4,\n",
    "row numbers of R": '"","a","b"\n"1",1,2.5\n"2",3,4\n',
    "everything in quotes": '"a","b"\n"1","2.5"\n"3","4"\n',
    "gzip": gzip.compress(CSV),
    "xz": lzma.compress(CSV),
    "bzip2": bz2.compress(CSV),
    "zip": zipped(data_csv=CSV),
    "gzip in zip": zipped(data_gz=gzip.compress(CSV)),
    "Parquet": saved("to_parquet", FRAME),
    "Feather": saved("to_feather", FRAME),
    "Excel": saved("to_excel", FRAME, index=False),
    "Excel with a title and empty rows": saved("to_excel", FRAME, index=False, startrow=3, startcol=2),
    "Excel with titles of several cells, a total and a source": sheet(
        ["Sales of 2024"],
        ["prepared by", "K. N.", None],
        ["a", "b", "c", "d"],
        [1, 2.5, 7, 8],
        [3, 4.0, 9, 10],
        ["Total", 6.5, 16, 18],
        ["Source: the office"],
    ),
    "titles of several cells": "Sales of 2024\nprepared by,K. N.\na,b,c,d\n1,2.5,7,8\n3,4,9,10\nTotal,6.5,16,18\n",
    "Stata": saved("to_stata", FRAME, write_index=False, version=118),
    "JSON lines": '{"a": 1, "b": 2.5}\n{"a": 3, "b": 4}\n',
    "JSON lines, blank ones between": '{"a": 1, "b": 2.5}\n\n{"a": 3, "b": 4}\n',
    "JSON, a list of objects": '[{"a": 1, "b": 2.5}, {"a": 3, "b": 4}]',
    "JSON, keys in another order": '[{"a": 1, "b": 2.5}, {"b": 4, "a": 3}]',
    "digits of other scripts": "a,b\n１,2.5\n３,4\n",
    "decimal commas and exponents": "a;b\n1,0e0;25,0E-1\n3,0;4,0\n",
    "fixed widths": "a     b\n1     2.5\n3     4\n",
    "row numbers without a name": ",a,b\n0,1,2.5\n1,3,4\n",
    "empty columns at the end": "a,b,,\n1,2.5,,\n3,4,,\n",
    "JSON, columns": '{"a": [1, 3], "b": [2.5, 4]}',
    "JSON, a list of objects within an answer": '{"status": "ok", "data": [{"a": 1, "b": 2.5}, {"a": 3, "b": 4}]}',
    "GeoJSON": '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"a": 1, "b": 2.5},'
    ' "geometry": null}, {"type": "Feature", "properties": {"a": 3, "b": 4}, "geometry": null}]}',
    "zip with what a desktop leaves behind": zipped(data_csv=CSV, _DS_Store=b"x", Thumbs_db=b"y"),
    "an instrument's keys and values above": "Instrument: ABC-300\nOperator: J. Doe\n\na [s]\tb [N]\n1\t2.5\n3\t4\n",
    "line ends of three kinds": b"a,b\r\n1,2.5\n3,4\r",
}


@pytest.mark.parametrize("kind", SAME)
def test_the_same_table(kind: str) -> None:
    frame = table(SAME[kind]).frame
    if "several cells" in kind:
        assert frame.columns.tolist() == ["a", "b", "c", "d"]
        frame = frame[["a", "b"]]
    assert frame.columns.tolist() == ["a", "b"]
    assert frame.to_numpy(dtype=float).tolist() == AB


def emptied() -> bytes:
    """A workbook with a formula whose computed value is an empty text."""
    whole, out = sheet(["x", "y", "z"], [1, 2, '=IF(A2>1,A2,"")'], [3, 4, 5]), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as before, zipfile.ZipFile(out, "w") as after:
        for entry in before.namelist():
            content = before.read(entry)
            if entry.endswith("sheet1.xml"):
                assert b'<c r="C2"' in content
                content = content.replace(b'<c r="C2"', b'<c r="C2" t="str"')
            after.writestr(entry, content)
    return out.getvalue()


ARFF = """% the weather
@RELATION 'weather data'

@attribute x numeric
@attribute 'out look' {sunny, 'over cast',rain}
@ATTRIBUTE note string
@data
85,sunny,'it\\'s fine'
?, 'over cast', x
% a remark
70,rain,?
"""

#: Files and what a person reads in the column x.
READ = {
    "thousands with commas": ('x,y\n"1,234,567",1\n"89",2\n', [1234567.0, 89.0]),
    "thousands with commas, one group": ('x,y\n"1,234",1\n"5,678",2\n', [1234.0, 5678.0]),
    "thousands with points": ("x;y\n1.234,50;1\n2,25;2\n", [1234.5, 2.25]),
    "thousands with spaces": ("x;y\n1 234 567;1\n89;2\n", [1234567.0, 89.0]),
    "thousands with thin spaces and commas": ("x;y\n1\u202f234,5;1\n2,0;2\n", [1234.5, 2.0]),
    "thousands with apostrophes": ("x,y\n1'234.5,1\n2.5,2\n", [1234.5, 2.5]),
    "losses in brackets": ('x,y\n"(1,500)",1\n"2,500",2\n', [-1500.0, 2500.0]),
    "typographic minus": ("x,y\n−3,1\n4,2\n", [-3.0, 4.0]),
    "minus behind": ("x,y\n3-,1\n4,2\n", [-3.0, 4.0]),
    "clock times as hours": ("x,y\n14:30,1\n9:15:00,2\n", [14.5, 9.25]),
    "clock times with a gap": ("x,y\n2:30 pm,1\n-,2\n", [14.5, np.nan]),
    "a dash for a gap": ("x,y\n-,1\n4,2\n", [np.nan, 4.0]),
    "n.a. for a gap": ("x,y\nn.a.,1\n4,2\n", [np.nan, 4.0]),
    "a question mark for a gap": ("x,y\n?,1\n4,2\n", [np.nan, 4.0]),
    "an Excel error for a gap": ("x,y\n#DIV/0!,1\n4,2\n", [np.nan, 4.0]),
    "text with commas in quotes": ('x,y\n"a, b",1\n"c\nd",2\n', ["a, b", "c\nd"]),
    "Windows-1252": ("x,y\nMüller,1\nČapek,2\n".replace("Č", "C").encode("cp1252"), ["Müller", "Capek"]),
    "mixed encodings": ("x,y\nMüller,1\n".encode() + "Bär,2\n".encode("cp1252"), ["Müller", "Bär"]),
    "codes stay text": ("x,y\nC00017,1\nC00018,2\n", ["C00017", "C00018"]),
    "letters of units before numbers make codes": ("x,y\nt5,1\nt12,2\n", ["t5", "t12"]),
    "ticked boxes stay text": ("x,y\nx,1\n1,2\n", ["x", "1"]),
    "text and numbers stay text": ("x,y\nA1,1\nB2,2\n", ["A1", "B2"]),
    "Fortran's exponents": ("x,y\n1.2D+03,1\n1.4D-02,2\n", [1200.0, 0.014]),
    "powers of ten": ("x,y\n1.2×10^3,1\n1.4 · 10⁻²,2\n", [1200.0, 0.014]),
    "exponents and a unit": ("x,y\n1.2e3 Pa,1\n1.4e-2 Pa,2\n", [1200.0, 0.014]),
    "thousands as in India": ('x,y\n"1,23,456",1\n"2,000",2\n', [123456.0, 2000.0]),
    "codes with a D stay text": ("x,y\n3D-12,1\n4D-07,2\n", ["3D-12", "4D-07"]),
    "fixed widths, spaces within texts": (
        "x            y\nNew York     1.5\nChicago      2\n",
        ["New York", "Chicago"],
    ),
    "losses with a minus behind, points and commas": ("x;y\n1.234,50-;1\n3.000,10;2\n", [-1234.5, 3000.1]),
    "French money, Windows-1252": ("x;y\n1\xa0234,00 €;1\n987,50 €;2\n".encode("cp1252"), [1234.0, 987.5]),
    "uncertainties": ("x,y\n1.20 ± 0.03,1\n2.5±0.1,2\n", [1.2, 2.5]),
    "uncertainties, decimal commas and a unit": ("x;y\n1,20 +/- 0,03 kg;1\n2,5 ± 0,1 kg;2\n", [1.2, 2.5]),
    "uncertainties in brackets with a unit": ("x,y\n(1.20 ± 0.03) kg,1\n(2.5±0.1) kg,2\n", [1.2, 2.5]),
    "uncertain last digits": ("x,y\n1.20(3),1\n2.512(14),2\n", [1.2, 2.512]),
    "angles": ("x,y\n52°30'N,1\n33°15'S,2\n13°15′E,3\n0°45'W,4\n", [52.5, -33.25, 13.25, -0.75]),
    "angles with seconds": ("x,y\n52°30'45\"N,1\n-33°15'00\",2\n", [52.5125, -33.25]),
    "angles, the side first": ("x,y\nN 52°30',1\nS 33.25°,2\n", [52.5, -33.25]),
    "minutes and seconds": ("x,y\n1:23.45,1\n59:01.00,2\n1:00:00.5,3\n", [83.45, 3541.0, 3600.5]),
    "fractions": ("x,y\n1/2,1\n2 1/4,2\n3,3\n1½,4\n-3/8,5\n", [0.5, 2.25, 3.0, 1.5, -0.375]),
    "fractions with a gap": ("x,y\n1/2,1\n-,2\n3/4,3\n", [0.5, np.nan, 0.75]),
    "pairs are no fractions": ("x,y\n120/80,1\n110/70,2\n", ["120/80", "110/70"]),
    "days of months are no fractions": ("x,y\n3/17,1\n4/5,2\n", ["3/17", "4/5"]),
    "Excel, a formula with an empty text": (emptied(), [1.0, 3.0]),
    "ARFF": (ARFF, [85.0, np.nan, 70.0]),
    "ARFF, sparse rows": (ARFF.replace("70,rain,?", "{0 70, 1 rain, 2 ?}"), [85.0, np.nan, 70.0]),
    "different units stay text": ("x,y\n1 mm,1\n2 cm,2\n", ["1 mm", "2 cm"]),
}


@pytest.mark.parametrize("kind", READ)
def test_read_as_a_person_would(kind: str) -> None:
    content, expected = READ[kind]
    column = table(content).frame["x"]
    if isinstance(expected[0], str):
        assert column.tolist() == expected
    else:
        np.testing.assert_array_equal(column.to_numpy(dtype=float), expected)


#: Damaged files and what is said about them.
REFUSED = {
    "a field too many": ("a,b\n1,2\n3,4,5\n", "Line 3 .* has 3 fields where the first line has 2"),
    "a field too few, below a comment": ("# x\na,b\n1,2\n3\n", "Line 4 .* has 1 fields"),
    "damaged gzip": (gzip.compress(CSV)[:-9], "damaged gzip"),
    "damaged xz": (lzma.compress(CSV)[:-9], "damaged xz"),
    "damaged Parquet": (saved("to_parquet", FRAME)[:40], "damaged Parquet"),
    "damaged Arrow": (saved("to_feather", FRAME)[:40], "damaged Arrow"),
    "damaged JSON lines": ('{"a": 1}\n{"a": }\n', r"Line 2 .* is not JSON \(column 7"),
    "JSON without rows": ('{"a": [1, 2], "b": [3]}', "columns .* have 1 to 2 values"),
    "a web page": ("<!DOCTYPE html><html></html>", "is a web page, not a table"),
    "a PDF": (b"%PDF-1.7 ...", "is a PDF"),
    "several files in a zip": (zipped(a_csv=CSV, b_csv=CSV), r"holds 2 files \(a.csv, b.csv\); say which"),
    "a quote that nothing closes": (
        '# x\na,b\n1,2\n3,"4\n5,6\n',
        r"Line 4 of standard input opens a quote \(column 3\) that nothing closes",
    ),
    "a tar archive": (tarred(), "is a tar archive, not a table; unpack it"),
    "a packed tar archive": (gzip.compress(tarred()), "is a tar archive, not a table; unpack it"),
    "a table of a web page": ("<table><tr><td>a</td></tr></table>", "is a web page, not a table"),
    "SPSS": (b"$FL2@(#) SPSS DATA FILE", "is an SPSS file"),
    "an R workspace": (gzip.compress(b"RDX3\nX\n"), "is an R workspace"),
    "MATLAB": (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "is a MATLAB file"),
    "numbers alone": ("1,2.5\n3,4\n", r"first line .* holds numbers \(1, 2.5\), not column names"),
    "zeros between": (b"a,b\n1,2\x00\n3,4\n", "is not a text file"),
    "zstd": (b"\x28\xb5\x2f\xfd....", "packed by zstd"),
    "only comments": ("# a\n# b\n", "is empty"),
    "names alone": ("a,b\n", "no rows of data"),
    "another table below": (
        "a,b\n1,2\n3,4\n\nc,d\n5,6\n7,8\n",
        r"Line 5 of standard input begins another table \(c, d\)",
    ),
    "Excel, a formula without a value": (
        sheet(["a", "b", "c"], [1, 2, "=A2*B2"], [3, 4, "=A3*B3"]),
        r"Cell C2 of sheet 'Sheet' of standard input is a formula \(=A2\*B2\) without a computed value; open the file",
    ),
    "ARFF, a level that is none": (
        ARFF.replace("70,rain", "70,snow"),
        "Line 11 .* has 'snow' in column 'out look', whose values are sunny, over cast, rain",
    ),
    "ARFF, a number that is none": (
        ARFF.replace("70,rain", "7o,rain"),
        "Line 11 .* has '7o' in column 'x', which is numeric",
    ),
    "ARFF, a field too few": (
        ARFF.replace("rain,?", "rain"),
        "Line 11 .* has 2 fields where it has 3 attributes",
    ),
    "ARFF, an open quote": (
        ARFF.replace("70,rain,?", "70,rain,'a"),
        "Line 11 .* has a quote that nothing closes",
    ),
    "ARFF, an unknown type": (
        ARFF.replace("x numeric", "x relational"),
        "Line 4 .* has no attribute of a known type",
    ),
    "ARFF, a sparse row of another table": (
        ARFF.replace("70,rain,?", "{7 1}"),
        "Line 11 .* has '7 1', which names none of its attributes",
    ),
    "names twice": ("a,b,a\n1,2,3\n", "several columns named 'a'"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_with_a_sentence(kind: str) -> None:
    content, words = REFUSED[kind]
    with pytest.raises(ValueError, match=words):
        table(content)


@pytest.mark.parametrize("packed", ["STORED", "DEFLATED", "BZIP2", "LZMA"])
def test_a_damaged_archive_is_refused_with_a_sentence(packed: str) -> None:
    """Any byte may be wrong; each way to pack raises errors of its own."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", getattr(zipfile, f"ZIP_{packed}")) as archive:
        archive.writestr("data.csv", CSV * 5)
    whole = out.getvalue()
    refused = 0
    for place in range(4, len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        try:
            table(bytes(damaged))
        except ValueError as error:
            refused += 1
            said = str(error)
            assert any(
                word in said
                for word in ("damaged", "cannot be read", "can be read", "is not", "Line", "holds")
            ), said
    assert refused > len(whole) / 3


def test_numbers_that_are_dates_are_read_as_dates() -> None:
    found = table("day,y\n20240131,1\n20240229,2\n20240301,3\n")
    assert found.frame["day"].tolist() == [
        pd.Timestamp(d) for d in ("2024-01-31", "2024-02-29", "2024-03-01")
    ]
    assert "'day' read with its numbers such as 20240131 as dates" in found.notes
    assert table("day,y\n20240131,1\n20249999,2\n20240301,3\n").frame["day"].dtype.kind == "i"


MOMENTS = [pd.Timestamp(moment) for moment in ("2024-01-01", "2024-01-01 00:01", "2024-01-01 00:02:00.5")]


@pytest.mark.parametrize("parts", [1, 10**3, 10**6, 10**9])
def test_numbers_that_count_time_are_dates_where_the_column_is_called_so(parts: int) -> None:
    counts = [moment.timestamp() * parts for moment in MOMENTS]
    texts = [f"{count:.1f}" if parts == 1 else str(int(count)) for count in counts]
    found = table("timestamp,y\n" + "".join(f"{text},{i}\n" for i, text in enumerate(texts)))
    assert found.frame["timestamp"].tolist() == MOMENTS
    assert found.notes == ["'timestamp' read with its numbers as time since 1970 (--as-it-is leaves them)"]
    assert table("phone,y\n" + "".join(f"{text},1\n" for text in texts)).frame["phone"].dtype.kind in "if"


def test_columns_are_left_as_they_are_where_the_user_says_so() -> None:
    content = "at time,x\n1704067200000,1/2\n1704067260000,1/4\n1704067320000,3/4\n"
    found = table(content, Dialect(as_it_is=("at time", "x")))
    assert found.frame["at time"].dtype.kind == "i"
    assert found.frame["x"].tolist() == ["1/2", "1/4", "3/4"]
    assert found.notes == []
    with pytest.raises(ValueError, match="no column 'at_time' to be left as it is; did you mean 'at time'"):
        table(content, Dialect(as_it_is=("at_time",)))


def test_arff_says_what_columns_are() -> None:
    found = table(ARFF)
    assert found.frame["out look"].cat.categories.tolist() == ["sunny", "over cast", "rain"]
    assert not found.frame["out look"].cat.ordered
    assert found.frame["note"].tolist()[:2] == ["it's fine", "x"]
    assert found.place(0) == "row 1"
    assert table(ARFF.replace("% a remark\n", "")).place(2) == "row 3 (line 10)"


def test_what_was_spelled_is_said_and_its_unit_kept() -> None:
    found = table("x,y,z\n1.20 ± 0.03,52°30'N,1:23.45\n2.5±0.1,33°15'S,2:00.00\n")
    assert found.units == {"y": "°", "z": "s"}
    assert found.notes == [
        "'x' read with the uncertainties behind ± left out (--as-it-is leaves them)",
        "'y' read with angles as degrees (--as-it-is leaves them)",
        "'z' read with minutes and seconds such as 1:23.45 as seconds (--as-it-is leaves them)",
    ]


HEADS = ["region", "2023 sales", "2023 cost", "2024 sales", "2024 cost"]


@pytest.mark.parametrize(
    "content",
    [
        b"Report\n,2023,,2024,\nregion,sales,cost,sales,cost\nnorth,1,2,3,4\nsouth,5,6,7,8\n",
        sheet(
            [None, 2023, None, 2024, None],
            ["region", "sales", "cost", "sales", "cost"],
            ["north", 1, 2, 3, 4],
            ["south", 5, 6, 7, 8],
        ),
    ],
)
def test_names_in_two_lines_are_joined(content: bytes) -> None:
    """As merged cells leave them: a cell of the first line stands above several of the second."""
    found = table(content)
    assert found.frame.columns.tolist() == HEADS
    assert found.frame["2024 cost"].tolist() == [4, 8]
    assert "names were joined of two lines" in found.notes


def test_gaps_below_an_empty_line_begin_no_table() -> None:
    assert len(table("a,b\nx,1\ny,2\n\nz,n.a.\nw,4\n").frame) == 4


def test_there_are_sixty_of_them() -> None:
    assert len(SAME) + len(READ) + len(REFUSED) >= 60


def test_units_are_kept_and_said() -> None:
    found = table("length [mm],mass (kg),note (free text),price\n1,2,a,3 €\n4,5,b,6 €\n")
    assert found.frame.columns.tolist() == ["length", "mass", "note (free text)", "price"]
    assert found.units == {"length": "mm", "mass": "kg", "price": "€"}
    assert "'length [mm]', 'mass (kg)' read with a unit in its name" in found.notes
    assert table("a,b\nmm,kg\n1,2\n3,4\n").units == {"a": "mm", "b": "kg"}


def test_lines_are_still_known_below_titles() -> None:
    found = table("Report\n\na,b\n1,2\n3,4\n")
    assert found.place(1) == "row 2 (line 5)"
    assert table("a,b\nmm,kg\n1,2\n3,4\n").place(0) == "row 1 (line 3)"
    assert table("a,b\n1,2\n# x\n3,4\n").place(1) == "row 2"


def test_parts_of_files(tmp_path: Path) -> None:
    archive = tmp_path / "two.zip"
    archive.write_bytes(zipped(a_csv=CSV, b_csv=b"c,d\n1,2\n"))
    assert read_table(f"{archive}::b.csv").frame.columns.tolist() == ["c", "d"]
    with pytest.raises(ValueError, match=r"holds no file 'd.csv'"):
        read_table(f"{archive}::d.csv")
    book = tmp_path / "two.xlsx"
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame({"Report": ["of 2024"]}).to_excel(writer, sheet_name="cover", index=False)
        FRAME.to_excel(writer, sheet_name="data", index=False)
    assert read_table(book).frame.to_numpy().tolist() == AB
    assert read_table(book).notes == ["read sheet 'data' of 2; --sheet takes another"]
    with pytest.raises(ValueError, match="has no sheet 'x'"):
        read_table(f"{book}::x")


def test_tables_of_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE sales (a REAL, b REAL)")
    connection.executemany("INSERT INTO sales VALUES (?, ?)", AB)
    connection.commit()
    only = read_table(path)
    assert only.frame.to_numpy().tolist() == AB
    assert only.notes == [f"read table 'sales', the only one of {path}"]
    connection.execute('CREATE TABLE "other one" (a REAL)')
    connection.commit()
    connection.close()
    with pytest.raises(ValueError, match=r"has 2 tables \(other one, sales\); say which"):
        read_table(path)
    with pytest.raises(ValueError, match="no table 'sale'; did you mean 'sales'"):
        read_table(f"{path}::sale")
    assert read_table(f"{path}::sales").frame.to_numpy().tolist() == AB


def test_tables_of_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "file.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE sales (a DOUBLE, b DOUBLE)")
        connection.executemany("INSERT INTO sales VALUES (?, ?)", AB)
    assert read_table(f"{path}::sales").frame.to_numpy().tolist() == AB


def test_parquet_directories(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for number, row in enumerate(AB):
        pd.DataFrame([row], columns=["a", "b"]).to_parquet(tmp_path / "parts" / f"part-{number}.parquet")
    assert read_table(tmp_path / "parts").frame.to_numpy().tolist() == AB
