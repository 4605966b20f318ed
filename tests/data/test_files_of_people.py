"""Files as instruments, surveys, accountants and spreadsheets write them: every one is read as a person would read it.

Each was read in another way before: a row lost, names or numbers taken for something else, or a column left as text.
"""

from __future__ import annotations

import io
import json

import numpy as np
import openpyxl
import pandas as pd
import pytest

from multigene.data.reading import read_table
from multigene.data.table import Dialect, Table


def table(content: str | bytes, dialect: Dialect | None = None) -> Table:
    return read_table("-", dialect, io.BytesIO(content.encode() if isinstance(content, str) else content))


def book(*rows: list[object]) -> bytes:
    """A workbook with these rows of cells."""
    made, content = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        made.active.append(row)
    made.save(content)
    return content.getvalue()


LOGGER = (
    '"TOA5","CR1000","CR1000","12345"\n"TIMESTAMP","RECORD","BattV","AirTC"\n"TS","RN","Volts","Deg C"\n"","","Min","Avg"\n'
    '"2024-01-01 00:00:00",1,12.5,3.5\n"2024-01-01 00:10:00",2,"NAN",4\n"2024-01-01 00:20:00",3,12.1,4.5\n'
)
SURVEY = (
    "StartDate,Q1,Q2\nStart Date,How old are you?,Satisfied?\n"
    '"{""ImportId"":""startDate""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
    "2024-01-01,34,yes\n2024-01-02,45,no\n2024-01-03,51,yes\n"
)
PLATE = "Plate:\tone\nMode:\tAbsorbance\n\nTime\tA1\tA2\n0:00:00\t0.1\t0.2\n0:30:00\tOVRFLW\t0.3\n1:00:00\t0.5\t0.4\n\n~End\n"
PIVOT = [
    ["region", "city", "sales"], ["North", "A", 1], [None, "B", 2], [None, "C", 3], ["North Total", None, 6],
    ["South", "D", 4], [None, "E", 5], ["South Total", None, 9], ["Grand Total", None, 15],
]  # fmt: skip
PIVOTED = {
    "region": ["North"] * 3 + ["South"] * 2,
    "city": ["A", "B", "C", "D", "E"],
    "sales": [1, 2, 3, 4, 5],
}
COLUMNS = pd.DataFrame({"a": [1, 3], "b": [2.5, 4]})

#: A file, and columns of it.
FILES: dict[str, tuple[str | bytes, dict[str, list[object]]]] = {
    "a level that is a unit (N, north) is a row": ("wind,y\nN,1\nNE,2\nE,3\n", {"wind": ["N", "NE", "E"]}),
    "a level that is a unit (m, male) is a row": ("sex,y\nm,1\nw,2\nm,3\n", {"sex": ["m", "w", "m"]}),
    "ends of lines in quoted names": ('"size\n(mm)","net\nweight",y\n1,2,3\n2,3,4\n', {"size": [1, 2], "net weight": [2, 3]}),
    "a quoted cell with a line that looks like a comment": (
        'x,y\n"first\n# second",1\nthird,2\n', {"x": ["first\n# second", "third"], "y": [1, 2]},
    ),
    "a data logger": (LOGGER, {"RECORD": [1, 2, 3], "BattV": [12.5, np.nan, 12.1], "AirTC": [3.5, 4.0, 4.5]}),
    "a survey with questions below the names": (SURVEY, {"Q1": [34, 45, 51], "Q2": ["yes", "no", "yes"]}),
    "a plate reader": (PLATE, {"Time": [0.0, 0.5, 1.0], "A1": [0.1, np.nan, 0.5]}),
    "words for units below the names": ("depth\tsalt\nm\tPSU\n1\t35\n2\t35.1\n", {"depth": [1, 2], "salt": [35.0, 35.1]}),
    "R, names of rows": ('"mpg" "cyl"\n"Mazda RX4" 21 6\n"Datsun 710" 22.8 4\n', {"mpg": [21.0, 22.8], "cyl": [6, 4]}),
    "R, numbers of rows": ("a b\n1 5 2.5\n2 6 4\n3 7 8\n", {"a": [5, 6, 7], "b": [2.5, 4.0, 8.0]}),
    "columns below each other, a cell empty": (
        "name      age  weight\nAnna       34    60.5\nBob              70.0\nCarl       29    81.2\n",
        {"name": ["Anna", "Bob", "Carl"], "age": [34, np.nan, 29], "weight": [60.5, 70.0, 81.2]},
    ),
    "carets": ("a^b\n1^2.5\n3^4\n", {"a": [1, 3], "b": [2.5, 4.0]}),
    "Hive": ("a\x01b\n1\x012.5\n3\x014\n", {"a": [1, 3], "b": [2.5, 4.0]}),
    "empty rows of a spreadsheet below": ("a,b\n1,2\n3,4\n" + ",\n" * 60, {"a": [1, 3], "b": [2, 4]}),
    "a pivot table": ("\n".join(",".join("" if c is None else str(c) for c in row) for row in PIVOT) + "\n", PIVOTED),
    "a pivot table, Excel": (book(*PIVOT), PIVOTED),
    "JSON of pandas, by columns": (COLUMNS.to_json(), {"a": [1, 3], "b": [2.5, 4.0]}),
    "JSON of pandas, split": (COLUMNS.to_json(orient="split"), {"a": [1, 3], "b": [2.5, 4.0]}),
    "JSON, rows below names": (json.dumps([["a", "b"], [1, 2.5], [3, 4]]), {"a": [1, 3], "b": [2.5, 4.0]}),
    "Windows-1251": ("город;цена\nМосква;12,5\nКазань;13,5\n".encode("cp1251"), {"город": ["Москва", "Казань"]}),
    "below a limit": ("x,y\n0.5,1\n<0.1,2\n0.8,3\n<0.1,4\n1.2,5\n>3,6\n", {"x": [0.5, 0.1, 0.8, 0.1, 1.2, 3.0]}),
    "footnotes": ('x,y\n"1,234*",1\n"2,345",2\n"3,456[1]",3\n"4,567",4\n"5,678",5\n', {"x": [1234, 2345, 3456, 4567, 5678]}),
    "flags of a statistical office": (
        "x,y\n12.5,1\n13.1 p,2\n14 e,3\n:,4\n15,5\n16,6\n", {"x": [12.5, 13.1, 14, np.nan, 15, 16]},
    ),
    "thousands and millions": ("x,y\n1.2M,1\n350K,2\n2B,3\n", {"x": [1.2e6, 3.5e5, 2e9]}),
    "money in millions": ("x,y\n$1.2M,1\n$3M,2\n", {"x": [1.2e6, 3e6]}),
    "bytes": ("x,y\n10KB,1\n2 MB,2\n", {"x": [1e4, 2e6]}),
    "kelvin": ("x,y\n300 K,1\n310 K,2\n", {"x": [300, 310]}),
    "debits and credits": ('x,y\n"1,200.00 Dr",1\n300.00 Cr,2\n', {"x": [1200, -300]}),
    "losses, the currency in front": ('x,y\n"$(1,234.50)",1\n"$2,000.00",2\n', {"x": [-1234.5, 2000]}),
    "money of Brazil": ("x;y\nR$ 1.234,50;1\nR$ 20,00;2\n", {"x": [1234.5, 20]}),
    "an apostrophe in front": ("x,y\n'12,1\n'13,2\n", {"x": [12, 13]}),
    "MySQL's gaps": ("x,y\n\\N,1\n2,2\n4,3\n", {"x": [np.nan, 2, 4]}),
    "feet and inches": ("x,y\n5'11\",1\n6'0\",2\n", {"x": [71, 72]}),
    "durations": ("x,y\n1h 30m,1\n0h 45m,2\n2h,3\n14h30,4\n", {"x": [1.5, 0.75, 2.0, 14.5]}),
    "ISO durations": ("x,y\nPT1H30M,1\nPT45M,2\nP1DT6H,3\n", {"x": [1.5, 0.75, 30.0]}),
    "days of a spreadsheet": (
        "Date,y\n45292,1\n45293,2\n45300,3\n", {"Date": [pd.Timestamp(d) for d in ("2024-01-01", "2024-01-02", "2024-01-09")]},
    ),
    # What must not change.
    "two kinds of limits are levels": ("x,y\n<5,1\n>=5,2\n<5,3\n", {"x": ["<5", ">=5", "<5"]}),
    "minutes have a unit": ("x,y\n45 min,1\n5 min,2\n", {"x": [45, 5]}),
    "days of other columns are numbers": ("price,y\n45292,1\n45293,2\n45300,3\n", {"price": [45292, 45293, 45300]}),
    "a total that is no sum of others stays": ("x,y\nSum of squares,1\nRest,2\n", {"x": ["Sum of squares", "Rest"]}),
    "gaps of text are not filled from above": (
        "x,y,z\nred,1,2\n,2,3\nred,3,4\nblue,4,5\n", {"x": ["red", np.nan, "red", "blue"]},
    ),
    "inches are no quotes that go on": ("x,y\n27\",1\n32\",2\n", {"y": [1, 2]}),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_read_as_a_person_would(kind: str) -> None:
    content, expected = FILES[kind]
    found = table(content).frame
    for name, values in expected.items():
        pd.testing.assert_series_equal(
            found[name].reset_index(drop=True), pd.Series(values), check_dtype=False, check_names=False
        )


def test_what_was_left_out_is_said() -> None:
    assert table(LOGGER).notes[0] == "left out 1 title line, 2 description lines"
    assert table(SURVEY).notes == ["left out 2 description lines"]
    assert table(FILES["a pivot table"][0]).notes == [
        "left out 1 footer line, 2 subtotal lines",
        "empty cells of 'region' are filled from above (--as-it-is leaves them)",
    ]
    assert table(FILES["below a limit"][0]).notes == [
        "'x' read with '<0.1' as 0.1, '>3' as 3, the limit itself (--as-it-is leaves them)"
    ]


def test_cells_are_left_as_they_stand_where_the_user_says_so() -> None:
    left = table(FILES["a pivot table"][0], Dialect(as_it_is=("region",))).frame
    assert left["region"].isna().sum() == 3
    assert table("x,y\n1.2M,1\n3K,2\n", Dialect(as_it_is=("x",))).frame["x"].tolist() == ["1.2M", "3K"]


def test_lines_are_known_below_cells_of_several_lines() -> None:
    with pytest.raises(ValueError, match=r"Line 5 of standard input has 3 fields where the first line has 2"):
        table('a,b\n"x\ny",1\nz,2\nw,3,4\n')
    with pytest.raises(ValueError, match=r"Line 4 of standard input opens a quote .* that nothing closes"):
        table('a,b\n"x\ny",1\nz,"2\nw,3\n')


def test_text_that_no_encoding_of_western_europe_explains_is_said() -> None:
    found = table("城市,价格\n北京,12.5\n上海,13.5\n".encode("gb18030"))
    assert found.notes[0] == "line 1 is not UTF-8 and was read as GB 18030; --encoding says otherwise"
    assert found.frame["城市"].tolist() == ["北京", "上海"]
    read = table("城市,价格\n北京,12.5\n上海,13.5\n".encode("gb18030"), Dialect(encoding="gb18030"))
    assert read.frame["城市"].tolist() == ["北京", "上海"]


def test_several_units_and_missing_ones_are_said() -> None:
    assert table("l,y\n3 mm,1\n4 cm,2\n5 mm,3\n").notes == [
        "'l' read with several units (mm, cm), as text; give it in one of them"
    ]
    assert table("p,y\n12%,1\n0.5,2\n30%,3\n").notes == [
        "'p' read with '%' left out, which not all of its numbers have"
    ]


def test_cells_in_apostrophes_are_numbers() -> None:
    assert table("a,b\n'1','2'\n'3','4'\n").frame["a"].tolist() == [1.0, 3.0]
