"""Who may ask the studio, and what hostile files and texts come to."""

from __future__ import annotations

import io
import zipfile

import pytest

pytest.importorskip("starlette", reason="needs multigene[studio]")
pytest.importorskip("httpx2", reason="needs httpx2 for the test client")

from starlette.testclient import TestClient

from multigene.studio import app as answers
from multigene.studio import workspace as folders
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
    ("POST", "/api/runs/1/change"),
    ("POST", "/api/runs/1/predict?name=t.csv"),
    ("GET", "/api/runs/1/save/model"),
]


@pytest.fixture
def studio(tmp_path):
    return Studio(Workspace(tmp_path / "work"))


@pytest.fixture
def stranger(studio):
    return TestClient(studio.application(TOKEN, PORT), base_url=HOST, follow_redirects=False)


@pytest.fixture
def client(studio):
    client = TestClient(studio.application(TOKEN, PORT), base_url=HOST)
    assert client.get(f"/?token={TOKEN}").status_code == 200
    return client


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
def test_without_the_token_every_request_is_refused(stranger, method, address):
    assert stranger.request(method, address).status_code == 403
    wrong = {"cookie": f"multigene-{PORT}=wrong"}
    assert stranger.request(method, address, headers=wrong).status_code == 403
    more = "&" if "?" in address else "?"
    assert stranger.request(method, f"{address}{more}token=wrong").status_code == 403


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


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(stranger):
    answer = stranger.get(f"/?token={TOKEN}")
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
    monkeypatch.setattr(folders, "LARGEST_UNPACKED", 1_000_000)
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
