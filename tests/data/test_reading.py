"""Tables in: what a text file looks like is found out, what is wrong with one is said in a sentence."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from multigene.data.reading import read_table
from multigene.data.table import Dialect, Table
from multigene.data.text_form import detect_decimal, detect_separator


def table(content: bytes, dialect: Dialect | None = None) -> Table:
    return read_table("-", dialect, io.BytesIO(content))


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2.5\n3,4\n",
        b"a;b\n1;2,5\n3;4,0\n",
        b"a\tb\n1\t2.5\n3\t4\n",
        b"a|b\n1|2.5\n3|4\n",
        b"a  b\n1  2.5\n3  4\n",
        b"\xef\xbb\xbfa, b\r\n1, 2.5\r\n3, 4\r\n",
        "a,b\n1,2.5\n3,4\n".encode("utf-16"),
        gzip.compress(b"a,b\n1,2.5\n3,4\n", mtime=0),
        b"a,b\n1,2.5,\n3,4,\n",  # a separator at the end of every row
    ],
)
def test_the_same_table_in_many_dresses(content: bytes) -> None:
    frame = table(content).frame
    assert frame.columns.tolist() == ["a", "b"]
    assert frame.to_numpy(dtype=float).tolist() == [[1.0, 2.5], [3.0, 4.0]]


def test_what_was_guessed_is_said() -> None:
    assert table(b"a;b\n1;2,5\n").notes == [
        "columns are separated by semicolons",
        "numbers have decimal commas",
    ]
    counted = table(b",a,b\n0,1,2\n1,3,4\n")
    assert counted.frame.columns.tolist() == ["a", "b"]
    assert counted.notes == ["left out the first column, which has no name and counts the rows"]
    assert table(b"a,\n1,2\n5,7\n").frame.columns.tolist() == ["a", "column_2"]


def test_places_for_people() -> None:
    assert table(b"a,b\n1,2\n").place(0) == "row 1 (line 2)"
    assert table(b"a,b\n\n1,2\n").place(0) == "row 1"
    assert table(b"1,2\n3,4\n", Dialect(header=False)).place(1) == "row 2 (line 2)"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        ("\u2028".encode(), "is empty"),
        ("\x85".encode(), "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\x1c", "is empty"),
        (b"a,b\n", "no rows of data"),
        (b"1,2\n3,4\n", "holds numbers .* not column names"),
        (b"a,a\n1,2\n", "several columns named 'a'"),
        (b"a,b\n1,2\n3,4,5\n", "Line 3 .* has 3 fields where the first line has 2"),
        (b"a,b\n1,2,3\n4,5,6\n", "Line 2 .* has 3 fields where the first line has 2"),
        (b"a,b\n1,2\n3\n", "Line 3 .* has 1 fields"),
        (b"a\x00b", "is not a text file"),
        (b"\xff\xfea", "is not utf-8 text"),
        (b"PAR1 and no more", "damaged Parquet"),
        (b"PK\x03\x04 and no more", "not an Excel file"),
        (b"\xd0\xcf\x11\xe0", "old kind"),
        (b"\x1f\x8b and no more", "damaged gzip"),
    ],
)
def test_what_is_wrong_is_said(content: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        table(content)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    assert read_table(tmp_path / "data.csv").frame.shape == (1, 2)
    with pytest.raises(ValueError, match=r"no file .*dat\.csv; did you mean 'data\.csv'"):
        read_table(tmp_path / "dat.csv")
    with pytest.raises(ValueError, match="is a directory"):
        read_table(tmp_path)


def test_detection() -> None:
    assert detect_separator(["a;b", "1,5;2", "2,5;3"]) == ";"
    assert detect_separator(["a", "1"]) == ","
    assert detect_decimal(["a;b", "1,5;2"], ";") == ","
    assert detect_decimal(["a;b", "1,5;2.5"], ";") == "."
    assert detect_decimal(["a,b", "1,5"], ",") == "."


@pytest.mark.parametrize("separator", ["ab", "::"])
def test_separators_that_are_none(separator: str) -> None:
    with pytest.raises(ValueError, match="is not one character"):
        table(b"a,b\n1,2\n", Dialect(separator=separator))
