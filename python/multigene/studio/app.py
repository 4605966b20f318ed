"""Answers of the studio: small JSON about tables and runs, files to save, and the page with its modules."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from multigene import __version__
from multigene.data.reading import read_table
from multigene.export import EXPORTERS
from multigene.report.library import chart_library
from multigene.settings.defaults import default_settings
from multigene.studio.access import Access
from multigene.studio.comparison import compared
from multigene.studio.live import LiveRun
from multigene.studio.mistake import Mistake
from multigene.studio.question import GAPS, LOSSES, PREFERENCES, Question
from multigene.studio.uploads import LARGEST_UPLOAD, check_upload
from multigene.studio.workspace import Dataset, Workspace

Answer = Callable[[Request], Awaitable[Response]]
#: Bytes of a request that is no upload.
LARGEST_REQUEST = 1_000_000
#: Seconds that a question for news waits for some.
NEWS = 10.0


class Studio:
    """The workspace and the runs of this session, and the application that answers for them."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.runs: dict[int, LiveRun] = {}
        self.lost: list[str] = []
        """Runs of the workspace that cannot be shown, and why."""
        self._restore()

    def _restore(self) -> None:
        for number, folder, record in self.workspace.records():
            try:
                path = Path(record["data"]["path"])
                dataset = self.workspace.open(path, record["data"]["name"])
                for name, formula in record["data"]["derived"]:
                    if name not in dataset.table.frame.columns:
                        dataset.derive(name, formula)
                self.runs[number] = LiveRun.restored(self.workspace, number, folder, record, dataset)
            except (KeyError, TypeError, ValueError, OSError) as error:  # its data are gone; the files stay
                why = f": {error}" if isinstance(error, ValueError) else ""
                self.lost.append(f"Run {number} cannot be shown{why.rstrip('.')}. Its files are in {folder}.")

    def run(self, request: Request) -> LiveRun:
        """The run that an address names."""
        return self.run_of(request.path_params["number"])

    def run_of(self, number: int) -> LiveRun:
        """A run by its number."""
        found = self.runs.get(number)
        if found is None:
            raise LookupError(f"There is no run number {number}.")
        return found

    def application(self, token: str, port: int) -> Access:
        """What a server serves."""
        n = "{number:int}"
        routes = [
            Route("/", self.index),
            Route("/files/{name:path}", self.asset),
            Route("/api/state", _safe(self.state)),
            Route("/api/data", _safe(self.upload), methods=["POST"]),
            Route(f"/api/data/{n}", _safe(self.table)),
            Route(f"/api/data/{n}/derive", _safe(self.derive), methods=["POST"]),
            Route("/api/runs", _safe(self.begin), methods=["POST"]),
            Route(f"/api/runs/{n}/live", _safe(self.live)),
            Route(f"/api/runs/{n}/front/{{size:int}}", _safe(self.front)),
            Route(f"/api/runs/{n}/ask", _safe(self.ask), methods=["POST"]),
            Route(f"/api/runs/{n}/steer", _safe(self.steer), methods=["POST"]),
            Route(f"/api/runs/{n}/explorer", _safe(self.explorer)),
            Route(f"/api/runs/{n}/beside/{{other:int}}", _safe(self.compare)),
            Route(f"/api/runs/{n}/change", _safe(self.change), methods=["POST"]),
            Route(f"/api/runs/{n}/predict", _safe(self.predict), methods=["POST"]),
            Route(f"/api/runs/{n}/save/{{what}}", _safe(self.save)),
        ]
        return Access(Starlette(routes=routes), token, port)

    # --- the page -----------------------------------------------------------------------------------

    async def index(self, request: Request) -> Response:
        """The page; its only script of its own names the nonce that scripts of formulas may use."""
        text = (resources.files("multigene.studio") / "templates" / "index.html").read_text("utf-8")
        return Response(text.replace("{nonce}", request.scope["nonce"]), media_type="text/html")

    async def asset(self, request: Request) -> Response:
        """Modules and styles, by a list of what there is; the chart library."""
        name = request.path_params["name"]
        if name == "plotly.js":
            text = await run_in_threadpool(chart_library)
            return Response(
                text, media_type="text/javascript", headers={"cache-control": "private, max-age=86400"}
            )
        found = assets().get(name)
        if found is None:
            return PlainTextResponse("There is no such file.", 404)
        kind = "text/javascript" if name.endswith(".js") else "text/css"
        return Response(found, media_type=kind)

    # --- tables -------------------------------------------------------------------------------------

    async def state(self, request: Request) -> Any:
        """What there is: tables, runs, functions to choose from."""
        functions = [entry[0] for entry in default_settings().genes.functions]
        return {
            "version": __version__,
            "folder": str(self.workspace.folder),
            "data": [{"number": d.number, "name": d.name} for d in self.workspace.datasets.values()],
            "runs": [run.summary() for run in self.runs.values()],
            "lost": self.lost,
            "functions": functions,
            "losses": LOSSES,
            "gaps": GAPS,
            "preferences": PREFERENCES,
            "formats": {name: each.suffix for name, each in EXPORTERS.items() if name != "onnx"},
        }

    async def upload(self, request: Request) -> Any:
        """A file, in pieces, no larger than is allowed."""
        target = self.workspace.upload_path(request.query_params.get("name", ""))
        await _received(request, target, LARGEST_UPLOAD)

        def opened() -> Dataset:
            try:
                check_upload(target)
                return self.workspace.open(target)
            except Exception:
                target.unlink(missing_ok=True)
                raise

        return (await run_in_threadpool(opened)).described()

    async def table(self, request: Request) -> Any:
        """Columns of a table."""
        return await run_in_threadpool(self.workspace.dataset(request.path_params["number"]).described)

    async def derive(self, request: Request) -> Any:
        """A column by a formula."""
        given, dataset = await _sent(request), self.workspace.dataset(request.path_params["number"])
        await run_in_threadpool(dataset.derive, str(given.get("name", "")), str(given.get("formula", "")))
        return await run_in_threadpool(dataset.described)

    # --- runs ---------------------------------------------------------------------------------------

    async def begin(self, request: Request) -> Any:
        """Another run."""
        question = Question.of(await _sent(request))
        dataset = self.workspace.dataset(question.data)

        def begun() -> LiveRun:
            asked = question.check(dataset)  # what cannot be searched leaves no folder behind
            number, folder = self.workspace.new_run()
            run = LiveRun(self.workspace, number, folder, question, dataset, asked)
            self.runs[number] = run
            run.start()
            return run

        return (await run_in_threadpool(begun)).snapshot()

    async def live(self, request: Request) -> Any:
        """Where a run stands, as soon as that is news."""
        run, after = self.run(request), request.query_params.get("after", "-1")
        known = int(after) if after.removeprefix("-").isdecimal() else -1

        def news() -> dict[str, Any]:
            with run.changed:
                run.changed.wait_for(lambda: run.version != known, timeout=NEWS if known >= 0 else 0.0)
            return run.snapshot()

        return await run_in_threadpool(news)

    async def front(self, request: Request) -> Any:
        """Formulas of the front by their size."""
        return await run_in_threadpool(self.run(request).formulas_at, request.path_params["size"])

    async def ask(self, request: Request) -> Any:
        """Pause, resume, stop."""
        run, given = self.run(request), await _sent(request)
        await run_in_threadpool(run.ask, str(given.get("what", "")))
        return run.snapshot()

    async def steer(self, request: Request) -> Any:
        """Pin, offer, ban, price."""
        run, given = self.run(request), await _sent(request)
        await run_in_threadpool(run.steer, str(given.get("action", "")), given.get("value"))
        return run.snapshot()

    # --- models -------------------------------------------------------------------------------------

    async def explorer(self, request: Request) -> Any:
        """Markup and data of the explorer."""
        return await run_in_threadpool(self.run(request).explorer)

    async def compare(self, request: Request) -> Any:
        """Models of two runs side by side."""
        first, second = (self.run_of(request.path_params[name]) for name in ("number", "other"))
        return await run_in_threadpool(compared, first, second)

    async def change(self, request: Request) -> Any:
        """Choose another model, prune, leave a term out, or take other numbers."""
        run, given = self.run(request), await _sent(request)
        what = given.get("what")
        if what == "choose":
            await run_in_threadpool(run.choose, _whole(given, "index"))
            return run.summary()
        if what == "prune":
            cost = await run_in_threadpool(run.prune, _whole(given, "index"), _real(given, "max_loss"))
            return run.summary() | cost
        if what == "remove":
            cost = await run_in_threadpool(run.remove_term, _whole(given, "index"), _whole(given, "place"))
            return run.summary() | cost
        if what == "numbers":
            values = given.get("values")
            if not isinstance(values, list) or not all(
                isinstance(v, int | float) and not isinstance(v, bool) for v in values
            ):
                raise ValueError("Numbers of a formula are a list of numbers.")
            done = await run_in_threadpool(
                run.keep_numbers, _whole(given, "index"), [float(v) for v in values]
            )
            return run.summary() | done
        raise ValueError(f"{what!r} is nothing that can be changed; it is choose, prune, remove or numbers.")

    async def predict(self, request: Request) -> Response:
        """Predictions for another file, as CSV; the file is not kept."""
        run = self.run(request)
        target = self.workspace.upload_path(request.query_params.get("name", ""))
        try:
            await _received(request, target, LARGEST_UPLOAD)
            await run_in_threadpool(check_upload, target)
            table = await run_in_threadpool(read_table, target)
            text = await run_in_threadpool(run.predict, table.frame)
        finally:
            target.unlink(missing_ok=True)
        return _file(text, "predictions.csv", "text/csv")

    async def save(self, request: Request) -> Response:
        """A file to keep: model, report, Python, or the formula in a format."""
        run, what = self.run(request), request.path_params["what"]
        if what == "model":
            return _file(run.saved(), "model.json", "application/json")
        if what == "report":
            return _file(await run_in_threadpool(run.report), "report.html", "application/octet-stream")
        if what == "python":
            return _file(run.python(), "run.py", "text/plain")
        if what not in EXPORTERS or what == "onnx":
            raise LookupError(f"There is no format {what!r}.")
        text = await run_in_threadpool(run.model().formula.to, what)
        return _file(str(text), "formula" + EXPORTERS[what].suffix, "text/plain")


def assets() -> dict[str, bytes]:
    """Files of the page by name: the explorer's modules and style, and the studio's own."""
    found: dict[str, bytes] = {}
    for package in ("multigene.report", "multigene.studio"):
        templates = resources.files(package) / "templates"
        for folder in (templates, templates / "modules"):
            for each in folder.iterdir():
                if each.name.endswith((".js", ".css")):
                    found[each.name] = each.read_bytes()
    return found


def _file(text: str, name: str, kind: str) -> Response:
    return Response(
        text.encode(), media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'}
    )


def _safe(answer: Callable[[Request], Awaitable[Any]]) -> Answer:
    """An answer as JSON; what is wrong with a request is told in a sentence."""

    async def answered(request: Request) -> Response:
        try:
            said = await answer(request)
        except LookupError as error:
            return JSONResponse({"trouble": str(error.args[0] if error.args else error)}, 404)
        except Mistake as error:
            return JSONResponse({"trouble": str(error), "field": error.field}, 400)
        except (ValueError, TypeError, ImportError) as error:
            return JSONResponse({"trouble": str(error) or type(error).__name__}, 400)
        except (OverflowError, RecursionError):
            return JSONResponse({"trouble": "The request has numbers or nesting beyond all measure."}, 400)
        except MemoryError:
            return JSONResponse({"trouble": "That takes more memory than there is."}, 413)
        except TooLarge as error:
            return JSONResponse({"trouble": str(error)}, 413)
        return said if isinstance(said, Response) else Response(_json(said), media_type="application/json")

    return answered


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str).encode()


def _real(given: dict[str, Any], name: str) -> float:
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} = {value!r} is no number.")
    return float(value)


def _whole(given: dict[str, Any], name: str) -> int:
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} = {value!r} is no whole number.")
    return value


class TooLarge(Exception):
    """More than is allowed was sent."""


async def _sent(request: Request) -> dict[str, Any]:
    """The JSON of a request, of bounded size."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > LARGEST_REQUEST:
            raise TooLarge(f"The request is larger than {LARGEST_REQUEST:,} bytes.")
    given = json.loads(bytes(content) or b"{}")
    if not isinstance(given, dict):
        raise ValueError("The request is no JSON object.")
    return given


async def _received(request: Request, target: Path, most: int) -> None:
    """Write what is sent to a file, in pieces; nothing stays of what is too large or broken off."""
    size = 0
    try:
        with target.open("xb") as file:
            async for piece in request.stream():
                size += len(piece)
                if size > most:
                    raise TooLarge(
                        f"The file is larger than {most / 1e6:,.0f} MB; open it with `multigene studio FILE` instead."
                    )
                await asyncio.to_thread(file.write, piece)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
