"""A search of the studio: on a thread of its own, watched, steered, paused and gone on with.

Pausing ends `fit` at the next round with a checkpoint, so a model is there to look at, and going on, even after the computer was
off, is another `fit` from that checkpoint.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from multigene.classes.fitted import FittedClasses, with_labels
from multigene.data.losses import Loss
from multigene.data.training_rows import TrainingRows
from multigene.files import write_atomically
from multigene.fitted import FittedModel
from multigene.model_file import dumps, loads
from multigene.report import collect
from multigene.report.constants import MOST_MODELS
from multigene.report.content import Content
from multigene.report.html import explorer, page
from multigene.report.numbers import number
from multigene.report.shown_formula import shown_terms
from multigene.search.progress import Progress
from multigene.search.steering import check
from multigene.settings.loss import loss_of
from multigene.studio.asked_rows import AskedRows, with_predictions
from multigene.studio.mistake import of_field
from multigene.studio.question import Question
from multigene.studio.recorded import recorded
from multigene.studio.standing import Standing
from multigene.studio.unseen import Unseen
from multigene.studio.workspace import Dataset, Workspace

#: By how much a search stands behind the page and its browser, in steps of `nice`.
BEHIND = 5


def _behind_the_page() -> None:
    """Let this thread and those that it starts give way to others, where the system has that: the page stays quick."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BEHIND)


class LiveRun:
    """One run: its question, where it stands, and its model."""

    def __init__(
        self,
        workspace: Workspace,
        number: int,
        folder: Path,
        question: Question,
        dataset: Dataset,
        asked: AskedRows | None = None,
    ) -> None:
        self.workspace, self.number, self.folder = workspace, number, folder
        self.question, self.dataset = question, dataset
        self.asked = question.rows(dataset) if asked is None else asked
        self.state, self.trouble, self.wanted = "running", "", ""
        self.actions: list[dict[str, Any]] = []
        self.decisions: list[list[Any]] = []
        """What was done to the model afterwards, as `recorded.py` writes it."""
        self.waiting: list[tuple[str, Any]] = []
        self.standing = Standing(self._unseen())
        self.version, self.used, self.began = 0, 0.0, 0.0
        self.fitted: FittedModel | None = None
        self.lock, self.changed = threading.RLock(), threading.Condition()
        self.thread: threading.Thread | None = None

    # --- the search -------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin, or go on from the checkpoint."""
        self.state, self.wanted, self.began = "running", "", time.monotonic()
        self.thread = threading.Thread(target=self._work, name=f"run {self.number}", daemon=True)
        self._record()
        self.thread.start()

    def _work(self) -> None:
        try:
            if self.standing.step == 0 and self.question.minimised == "squared":
                self.standing.line_first(self.asked)
                self._tell()
            _behind_the_page()
            left = None
            if self.question.generations is None and self.question.seconds is not None:
                left = max(0.5, self.question.seconds - self.used)
            estimator = self.question.estimator(left)
            checkpoint = self.folder / "checkpoint"
            model = estimator.fit(
                self.asked.train[self.asked.features],
                self.asked.fitted_target(),
                groups=self.question.groups or None,
                callback=self._callback,
                checkpoint=checkpoint,
            )
            fitted = model.fitted_ if self.asked.classes is None else with_labels(model.fitted_)
            self.decisions.clear()  # what was decided before a pause was about another model
            self._take(fitted.choose(self.question.prefer))
            write_atomically(self.folder / "model.json", self.saved().encode())
            paused = self.wanted == "pause" and self.model().stopped_by == "callback"
            state = "paused" if paused else "done"
        except Exception as error:  # of any kind: the page says so and the studio goes on
            state, self.trouble = "failed", str(error) or type(error).__name__
            write_atomically(self.folder / "trouble.txt", traceback.format_exc().encode())
        with self.lock:  # whoever resumes a paused run finds it recorded
            self.state = state
            self.used += time.monotonic() - self.began
            self._record()
        self._tell()

    def _callback(self, progress: Progress) -> bool:
        """Between two rounds: note where it stands, hand over what was asked."""
        with self.lock:
            self.standing.note(progress, self._seconds())
            for action, value in self.waiting:
                progress.steer(action, value)
                self._done(action, value)
            self.waiting.clear()
            stop = self.wanted == "stop" or (self.wanted == "pause" and self._may_pause())
            if stop and self.wanted == "stop":
                self._done("stop")
        self._tell()
        return stop

    def _may_pause(self) -> bool:
        """A law search that comes first cannot go on exactly where it was cut: a run that can be repeated pauses after it."""
        return self.standing.phase != "seek" or self.question.generations is None

    def _done(self, action: str, value: Any = None) -> None:
        """Note an action with the round it was taken up in, to be repeated there."""
        self.actions.append({"step": self.standing.step, "action": action, "value": value})

    def _seconds(self) -> float:
        """Time that the search has had."""
        return self.used + (time.monotonic() - self.began if self.state == "running" else 0.0)

    def _tell(self) -> None:
        with self.changed:
            self.version += 1
            self.changed.notify_all()

    # --- what a user asks for ---------------------------------------------------------------------

    def ask(self, what: str) -> None:
        """Pause, stop or resume."""
        with self.lock:
            if what in ("pause", "stop") and self.state == "running":
                self.wanted = what
            elif what == "stop" and self.state == "paused":
                self.state = "done"
                self._record()
            elif what == "resume" and self.state == "paused":
                self._done("resume")
                self.start()
            else:
                raise ValueError(f"The run is {self.state}; it cannot {what}.")
        self._tell()

    def steer(self, action: str, value: Any) -> None:
        """Take up an action at the next round."""
        if self.state != "running":
            raise ValueError(f"The run is {self.state}; only a running search can be steered.")
        # A column of text stands for several of numbers; each is an action of its own, as Python repeats it.
        said = self.asked.made_of(value) if action == "ban" and isinstance(value, str) else [value]
        settings = self.question.estimator().resolved_settings()
        with self.lock:
            done = [(each["action"], each["value"]) for each in self.actions] + self.waiting
            self.asked.refuse_to_ban_all([*done, *((action, each) for each in said)])
            with of_field("offered" if action in ("offer", "pin") else action):
                for each in said:
                    check(action, each, self.asked.names, settings)
            self.waiting += [(action, each) for each in said]
        self._tell()

    # --- what the page reads ----------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Where the run stands."""
        with self.lock:
            limit = self.question.seconds if self.question.generations is None else None
            return {
                "number": self.number,
                "version": self.version,
                "state": self.state,
                "wanted": self.wanted,
                "trouble": self.trouble,
                "note": self.asked.note,
                "measure": self.question.measure,
                "generations": self.question.generations,
                "seconds": round(self._seconds(), 1),
                "limit": limit,
                **self.standing.shown(),
                "waiting": [list(each) for each in self.waiting],
                "actions": self.actions,
                "target": self.asked.told,
                "classes": self.asked.classes is not None,
                "features": self.asked.features,
                "has_model": self.fitted is not None,
            }

    def formulas_at(self, size: int) -> list[dict[str, Any]]:
        """Formulas of the front of one size, which are written when they are asked for: large ones take a while."""
        with self.lock:
            rows = self.standing.at_size(size)
        return [{"size": row.complexity, "r2": row.r2, "formula": row.formula} for row in rows]

    def _unseen(self) -> Unseen | None:
        test = self.asked.test
        return None if test is None else Unseen(*self.asked.arrays(test), self._loss(), self.asked.classes)

    def _take(self, model: FittedModel) -> None:
        """What the page shows from now on is this model and its front."""
        with self.lock:
            if model.encoding is not self.asked.encoding:  # groups have become numbers of their own
                self.asked = replace(self.asked, encoding=model.encoding)
                self.standing.score_on(self._unseen())
            self.fitted = model
            self.standing.show(model)

    def _loss(self) -> Loss:
        """The loss with what it takes from the training rows."""
        return loss_of(self.question.minimised).of_rows(*self.asked.arrays(self.asked.train))

    def summary(self) -> dict[str, Any]:
        """A row of the table of runs."""
        model = self.fitted
        test = None
        if model is not None and self.asked.test is not None:
            measured = model.metrics(TrainingRows.of(*self.asked.arrays(self.asked.test), None, model.loss))
            test = number(measured.get("explained", measured["r2"]))
        return {
            "number": self.number,
            "data": self.dataset.name,
            "target": self.asked.told,
            "state": self.state,
            "seconds": round(self.used, 1),
            "size": None if model is None else model.formula.size,
            "measure": self.question.measure,
            "r2": None if model is None else number(model.explained),
            "test": test,
            "formula": "" if model is None else str(model.formula)[:300],
        }

    # --- the model --------------------------------------------------------------------------------

    def model(self) -> FittedModel:
        """The model of the run, or a sentence."""
        if self.fitted is None:
            raise LookupError(f"Run {self.number} has no model yet; wait until it is paused or done.")
        return self.fitted

    def of_classes(self) -> FittedClasses | None:
        """The model as a classifier, where it tells a class from the others."""
        classes = self.asked.classes
        if classes is None:
            return None
        return FittedClasses(classes=classes, models=(self.model(),), target=self.question.target)

    def saved(self) -> str:
        """The model as `model.save` writes it."""
        return dumps(self.of_classes() or self.model())

    def content(self, most: int = MOST_MODELS) -> Content:
        """All that a report says of the model, with at most this many others of the front."""
        content = collect(self.model(), *self._sets(), most=most, classes=self.of_classes())
        used = {name for each in content.models for name in each["variables"]}
        derived = [f"{name} is {formula}." for name, formula in self.dataset.derived if name in used]
        return replace(content, reproduce={"python": self.python()}, meanings=[*content.meanings, *derived])

    def explorer(self) -> dict[str, Any]:
        """The explorer of the model: markup and data, and whether numbers moved by hand can be kept."""
        markup, data = explorer(self.content())
        return {"markup": markup, "content": data, "movable": self.model().loss.link == "identity"}

    def report(self) -> str:
        """The report as a page; it is kept with the run."""
        text = page(self.content())
        write_atomically(self.folder / "report.html", text.encode())
        return text

    def _sets(self) -> tuple[Any, ...]:
        (train, y), test = self.asked.arrays(self.asked.train), self.asked.test
        return (train, y) if test is None else (train, y, *self.asked.arrays(test))

    def choose(self, index: int) -> None:
        """Another model of the front."""
        self._keep(self.model().choose(index), "choose", index)

    def prune(self, index: int, max_loss: float) -> dict[str, Any]:
        """A shorter formula than that of a row of the front, which costs no more than this of R²; what it cost."""
        if self.model().front.at(index) is not self.model().chosen:
            self.choose(index)
        model = self.model()
        shorter = model.prune(max_loss)[0]
        self._keep(shorter, "prune", max_loss)
        return _cost(model, shorter)

    def remove_term(self, index: int, place: int) -> dict[str, Any]:
        """The model of a row of the front without one of its terms, the rest fitted anew; what that cost."""
        model = self.model().at(index)
        shorter = model.without_term(shown_terms(model.formula), place)
        self._keep(shorter, "remove", index, place)
        return _cost(model, shorter)

    def keep_numbers(self, index: int, values: list[float]) -> dict[str, Any]:
        """The model of a row of the front with other numbers in it; what that did."""
        model = self.model().at(index)
        moved = model.with_numbers(values)
        self._keep(moved, "numbers", index, values)
        return _cost(model, moved)

    def predict(self, table: pd.DataFrame) -> str:
        """A table with the model's predictions and 95 % intervals as CSV."""
        return with_predictions(self.model(), self.dataset.with_derived(table, self.model().raw_variables))

    def python(self) -> str:
        """Python that repeats the run."""
        return recorded(self.question, self.dataset, self.actions, self.decisions)

    def _keep(self, model: FittedModel, *decision: Any) -> None:
        self._take(model)
        self.decisions.append(list(decision))
        write_atomically(self.folder / "model.json", self.saved().encode())
        self._record()
        self._tell()

    # --- files ------------------------------------------------------------------------------------

    def _record(self) -> None:
        record = {
            "question": self.question.as_dict(),
            "data": {
                "path": str(self.dataset.path),
                "name": self.dataset.name,
                "derived": self.dataset.derived,
            },
            "state": self.state,
            "used": self.used,
            "step": self.standing.step,
            "actions": self.actions,
            "decisions": self.decisions,
            "trouble": self.trouble,
        }
        self.workspace.write_record(self.folder, record)
        write_atomically(self.folder / "run.py", self.python().encode())

    @staticmethod
    def restored(
        workspace: Workspace, number: int, folder: Path, record: dict[str, Any], dataset: Dataset
    ) -> LiveRun:
        """A run of an earlier session: one that was under way is paused, if there is a checkpoint to go on from."""
        question = Question.of({"missing": "drop", **record["question"], "data": dataset.number})
        run = LiveRun(workspace, number, folder, question, dataset)
        run.state, run.used = str(record["state"]), float(record["used"])
        run.standing.step = int(record["step"])
        run.actions, run.trouble = list(record["actions"]), str(record.get("trouble", ""))
        run.decisions = list(record.get("decisions", ()))
        if (folder / "model.json").exists():
            model = loads((folder / "model.json").read_bytes())
            run.asked = replace(run.asked, encoding=model.encoding)
            run.standing.score_on(run._unseen())
            run._take(model.with_rows(TrainingRows.of(*run.asked.arrays(run.asked.train), None, model.loss)))
        if run.state == "running":
            run.state = "paused" if (folder / "checkpoint").exists() else "failed"
            run.trouble = run.trouble or (
                "" if run.state == "paused" else "The studio was closed before a first checkpoint."
            )
        return run


def _cost(model: FittedModel, changed: FittedModel) -> dict[str, Any]:
    """What a change of the model did to its score on the training rows, and to its size."""
    scores = {"measure": model.loss.measure, "before": model.explained, "after": changed.explained}
    return scores | {"nodes": [model.formula.size, changed.formula.size]}
