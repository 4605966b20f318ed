"""Who may ask the studio, and what hostile files and texts come to."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs multigene[studio]")
pytest.importorskip("httpx2", reason="needs httpx2 for the test client")

from starlette.testclient import TestClient

from multigene.studio import app as answers
from multigene.studio import uploads
from multigene.studio.app import Studio
from multigene.studio.workspace import Workspace

TOKEN, PORT = "secret-token", 8765
HOST = f"http://127.0.0.1:{PORT}"
TABLE = "a,b,y\n" + "\n".join(f"{i},{i * i % 7},{2 * i + i * i % 7}" for i in range(60)) + "\n"
ADDRESSES = [
    ("GET", "/"),
    ("GET", "/files/studio.js"),
    ("GET", "/files/plotly.js"),
    ("GET", "/api/state"),
    ("POST", "/api/data?name=t.csv"),
    ("GET", "/api/data/1"),
    ("POST", "/api/data/1/derive"),
    ("POST", "/api/runs"),
    ("GET", "/api/runs/1/live"),
    ("POST", "/api/runs/1/ask"),
    ("POST", "/api/runs/1/steer"),
    ("GET", "/api/runs/1/explorer"),
    ("GET", "/api/runs/1/beside/2"),
    ("POST", "/api/runs/1/change"),
    ("POST", "/api/runs/1/predict?name=t.csv"),
    ("GET", "/api/runs/1/save/model"),
]


@pytest.fixture
def studio(tmp_path):
    return Studio(Workspace(tmp_path / "work"))


@pytest.fixture
def visitor(studio):
    return TestClient(studio.application(TOKEN, PORT), base_url=HOST, follow_redirects=False)


@pytest.fixture
def client(studio):
    client = TestClient(studio.application(TOKEN, PORT), base_url=HOST)
    assert client.get(f"/?token={TOKEN}").status_code == 200
    return client


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
def test_without_the_token_every_request_is_refused(visitor, method, address):
    assert visitor.request(method, address).status_code == 403
    wrong = {"cookie": f"multigene-{PORT}=wrong"}
    assert visitor.request(method, address, headers=wrong).status_code == 403
    more = "&" if "?" in address else "?"
    assert visitor.request(method, f"{address}{more}token=wrong").status_code == 403


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
def test_other_origins_and_other_names_are_refused(client, method, address):
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        assert client.request(method, address, headers=headers).status_code == 403
    assert client.request(method, address, headers={"host": "evil.example"}).status_code == 421
    assert client.request(method, address, headers={"host": f"127.0.0.1:{PORT + 1}"}).status_code == 421


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(visitor):
    answer = visitor.get(f"/?token={TOKEN}")
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_pages_may_use_nothing_but_their_own(client):
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "..%2f..%2fsecret", "/etc/passwd", "studio.js/../../app.py", "explorer.html.j2"],
)
def test_no_file_outside_of_the_list_is_served(client, name):
    assert client.get(f"/files/{name}").status_code in (403, 404)


@pytest.mark.parametrize(
    "name",
    [
        "../../outside.csv",
        "..\\..\\outside.csv",
        "/tmp/outside.csv",
        "<img src=x onerror=alert(1)>.csv",
        ".hidden.csv",
        "a" * 500 + ".csv",
    ],
)
def test_uploads_stay_in_the_workspace_whatever_they_are_called(client, studio, name):
    answer = client.post("/api/data", params={"name": name}, content=TABLE)
    if answer.status_code == 200:
        data = studio.workspace.folder / "data"
        assert [each.parent for each in studio.workspace.folder.rglob("*.csv")] == [data]
        assert "<" not in answer.json()["name"]
    else:
        assert answer.status_code == 400


@pytest.mark.parametrize(
    "name", ["", "table", "run.py", "page.html", "archive.zip", "table.csv.gz", "db.sqlite"]
)
def test_only_tables_are_taken(client, studio, name):
    answer = client.post("/api/data", params={"name": name}, content=TABLE)
    assert answer.status_code == 400
    assert "ends in" in answer.json()["trouble"]
    assert list((studio.workspace.folder / "data").iterdir()) == []


def test_what_is_too_large_leaves_nothing(client, studio, monkeypatch):
    monkeypatch.setattr(answers, "LARGEST_UPLOAD", 10_000)
    answer = client.post("/api/data?name=large.csv", content=(b"1,2,3\n" * 1000 for _ in range(100)))
    assert answer.status_code == 413
    assert list((studio.workspace.folder / "data").iterdir()) == []
    assert client.post("/api/runs", content=b" " * 1_000_001).status_code == 413


def test_a_spreadsheet_that_would_be_enormous_is_refused(client, studio, monkeypatch):
    monkeypatch.setattr(uploads, "LARGEST_UNPACKED", 1_000_000)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 5_000_000)
    answer = client.post("/api/data?name=bomb.xlsx", content=packed.getvalue())
    assert answer.status_code == 400
    assert "unpacked" in answer.json()["trouble"]
    assert list((studio.workspace.folder / "data").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b"{not json", b"[]", b'"text"', b"null"])
def test_broken_requests_are_told_in_a_sentence(client, content):
    for address in ("/api/runs", "/api/data/1/derive"):
        answer = client.post(address, content=content)
        assert answer.status_code in (400, 404)
        assert answer.json()["trouble"]


@pytest.mark.parametrize(
    "formula",
    [
        "<script>alert(1)</script>",
        "__import__('os').system('id')",
        "a" * 6000,
        "((((((",
        "exp(exp(exp(a)))*1e999",
    ],
)
def test_hostile_formulas_are_refused(client, formula):
    client.post("/api/data?name=t.csv", content=TABLE)
    answer = client.post("/api/data/1/derive", json={"name": "d", "formula": formula})
    assert answer.status_code == 400
    assert answer.json()["trouble"]


def bomb(kind):
    """A small file that is large unpacked, as a kind of file."""
    much = b"1,2,3\n" * 2_000_000
    if kind == "zip":
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("inside.csv", much)
        return packed.getvalue()
    return {"gzip": gzip.compress, "xz": lzma.compress, "bzip2": bz2.compress}[kind](much)


@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t.dat", "t.xlsx", "t.parquet"])
@pytest.mark.parametrize("kind", ["gzip", "xz", "bzip2", "zip"])
def test_packed_files_under_another_name_are_refused_before_they_are_unpacked(
    client, studio, monkeypatch, kind, name
):
    monkeypatch.setattr(answers, "read_table", None)  # nobody may come that far
    monkeypatch.setattr(studio.workspace, "open", None)
    answer = client.post(f"/api/data?name={name}", content=bomb(kind))
    assert answer.status_code == 400
    assert "t" in answer.json()["trouble"]
    assert list((studio.workspace.folder / "data").iterdir()) == []


def test_a_parquet_file_of_endless_equal_values_is_refused(client, studio):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    packed = io.BytesIO()
    column = arrow.chunked_array([arrow.array([1.0] * 1_000_000)] * 70)  # 560 MB in memory
    parquet.write_table(arrow.table({"a": column}), packed, compression="zstd")
    assert len(packed.getvalue()) < 1_000_000
    answer = client.post("/api/data?name=t.parquet", content=packed.getvalue())
    assert answer.status_code == 400
    assert "unpacked" in answer.json()["trouble"]
    assert list((studio.workspace.folder / "data").iterdir()) == []


def test_a_database_under_another_name_is_not_opened(client, tmp_path):
    import sqlite3

    path = tmp_path / "views.db"
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE VIEW t AS WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n"
    )
    connection.commit()
    connection.close()
    answer = client.post("/api/data?name=t.csv", content=path.read_bytes())
    assert answer.status_code == 400
    assert "no text" in answer.json()["trouble"]


NASTY = {
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep object": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "digits": b'{"data": 1, "target": "y", "seconds": 1' + b"0" * 5000 + b"}",
    "infinite": b'{"data": 1, "target": "y", "seconds": Infinity, "generations": NaN}',
    "kinds": b'{"data": [], "target": {}, "features": 3, "functions": "x", "units": 7, "seed": "1", "what": {}, "index": {}}',
    "markup": b'{"data": 1, "target": "<img src=x onerror=alert(1)>", "name": "<script>", "formula": "<svg onload=alert(1)>"}',
    "nothing": b'{"what": "choose"}',
    "overflow": b'{"what": "choose", "index": 1e999}',
    "path": b'{"data": "../../etc/passwd", "target": "y"}',
}  # fmt: skip


@pytest.mark.parametrize("nasty", NASTY)
@pytest.mark.parametrize(
    ("method", "address"), [each for each in ADDRESSES if each[0] == "POST" and "name=" not in each[1]]
)
def test_nasty_requests_are_refused_and_the_studio_goes_on(client, studio, nasty, method, address):
    client.post("/api/data?name=t.csv", content=TABLE)
    answer = client.post(address, content=NASTY[nasty])
    assert answer.status_code in (400, 404)
    assert answer.json()["trouble"]
    assert answer.headers["content-type"] == "application/json"  # what was sent is never shown as a page
    assert client.get("/api/state").json()["runs"] == []
    assert list((studio.workspace.folder / "runs").iterdir()) == []


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_refused(client, method):
    for _, address in ADDRESSES:
        answer = client.request(method, address)
        assert answer.status_code == 405
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "null"},
        {"origin": "http://127.0.0.1"},
        {"origin": f"http://127.0.0.1:{PORT}.evil.example"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"host": f"127.0.0.1.evil.example:{PORT}"},
        {"host": f"evil.example:{PORT}"},
        {"host": f"127.0.0.1:{PORT + 1}"},
        {"host": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_pages_of_others_get_nothing_even_with_the_cookie(client, headers):
    for method, address in ADDRESSES:
        assert client.request(method, address, headers=headers).status_code in (403, 421)


@pytest.mark.parametrize("cookie", ["", "wrong", TOKEN[:-1], TOKEN + "x", '"', "%00", "é", ";" * 100])
def test_a_wrong_token_is_refused_wherever_it_stands(visitor, cookie):
    sent = f"multigene-{PORT}={cookie}".encode()
    assert visitor.get("/api/state", headers={"cookie": sent}).status_code == 403
    assert (
        visitor.get("/api/state", params={"token": TOKEN}).status_code == 403
    )  # the address opens the page alone
    assert visitor.get("/", params={"token": cookie}).status_code == 403


def test_names_with_markup_come_back_as_text_and_never_as_a_page(client, studio):
    header = '"<img src=x onerror=alert(1)>","=cmd|\' /C calc\'!A0",y\n'
    rows = "".join(f"{i},{i * i % 7},{2 * i + i * i % 7 + 0.1 * (i % 3)}\n" for i in range(60))
    seen = client.post("/api/data?name=<b>bad</b>.csv", content=(header + rows).encode()).json()
    assert "<" not in seen["name"]
    number = client.post(
        "/api/runs", json={"data": 1, "target": "y", "generations": 2, "search": "accuracy"}
    ).json()["number"]
    studio.runs[number].thread.join(120)
    explored = client.get(f"/api/runs/{number}/explorer").json()
    assert "<img" not in explored["markup"]
    assert all(
        "<img" not in panel for model in explored["content"]["models"] for panel in model["panels"].values()
    )
    report = client.get(f"/api/runs/{number}/save/report")
    assert "<img" not in report.text
    assert report.headers["content-disposition"].startswith("attachment")


def test_the_page_about_the_studio_lists_every_trial_and_none_that_is_not_made():
    """Every test of this file stands in the table of docs/studio.md, and every name there is a test of this file."""
    page = Path(__file__).parents[2] / "docs" / "studio.md"
    listed = set(re.findall(r"`(test_\w+)`", page.read_text("utf-8")))
    made = set(re.findall(r"^def (test_\w+)", Path(__file__).read_text("utf-8"), re.MULTILINE))
    assert listed == made - {"test_the_page_about_the_studio_lists_every_trial_and_none_that_is_not_made"}
