"""The problems: sizes and formulas of the paper, tables by recipe, refusals in sentences."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from multigene.study import datasets, value_iteration
from multigene.study.errors import StudyError
from multigene.study.problems import PAPER, REALISTIC, REGISTRY, check_split, problem_named, rotation, sigmoid

LOCAL = os.environ.get(datasets.ENVIRONMENT_VARIABLE)
needs_copies = pytest.mark.skipif(LOCAL is None, reason="MULTIGENE_DATA names no directory of local copies")
UCI = {"ASN", "CCS", "ENC", "ENH"}


def test_both_orders_of_the_rotation_are_rotations_and_differ() -> None:
    one, other = rotation(5), rotation(5, first_pair_first=True)
    for matrix in (one, other):
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(5), atol=1e-12)
    assert np.abs(one[0]).min() == pytest.approx(0.067, abs=2e-3)
    assert np.abs(other[0]).min() == pytest.approx(0.25, abs=2e-3)


def test_the_papers_fifteen() -> None:
    assert len(PAPER) == 15
    assert set(REALISTIC) < set(PAPER)
    beyond = {
        "RS20D",
        "RS50D",
        "RS100D",
        "SPR20D",
        "SPR50D",
        "SPR100D",
        "RS2D-other",
        "RS5D-other",
        "RS10D-other",
    }
    assert beyond == set(REGISTRY) - set(PAPER)


@pytest.mark.parametrize(
    ("name", "train", "test", "features"),
    [
        ("S2D", 200, 500, 2),
        ("RS5D", 500, 1250, 5),
        ("S10D", 1000, 2500, 10),
        ("K11C", 500, 361_201, 2),
        ("UB5D", 1024, 5000, 5),
        ("SU", 309, 132, 2),
        ("SU-I", 309, 132, 2),
        ("MM", 510, 219, 2),
        ("SPR20D", 2000, 5000, 20),
    ],
)
def test_sizes(name: str, train: int, test: int, features: int) -> None:
    problem = problem_named(name)
    split = problem.sample(0)
    check_split(problem, split)
    assert split.X_train.shape == (train, features)
    assert split.X_test.shape == (test, features)


def test_sampling_repeats_by_seed_and_survives_pickling() -> None:
    for name in sorted(set(REGISTRY) - UCI - {"RS100D", "SPR100D", "RS50D", "SPR50D"}):
        problem = problem_named(name)
        first, other = problem.sample(1), problem.sample(2)
        again = pickle.loads(pickle.dumps(problem)).sample(1)
        np.testing.assert_array_equal(first.X_train, again.X_train)
        np.testing.assert_array_equal(first.y_test, again.y_test)
        assert not np.array_equal(first.X_train, other.X_train)


def test_formulas() -> None:
    k11c = problem_named("K11C").sample(0)
    x1, x2 = k11c.X_train[7]
    expected = (27.22 * x1 - 4.54) * (-0.39 * x2) + 11.46 * np.sin((0.21 * x1 - 1) * (x2 + 16.6) + 1.97)
    assert k11c.y_train[7] == pytest.approx(expected, rel=1e-12)
    grid = k11c.X_test
    assert grid.min() == -3
    assert grid.max() == 3
    assert np.allclose(np.diff(np.unique(grid[:, 0])), 0.01)
    ball = problem_named("UB5D").sample(0)
    assert ball.y_train[3] == pytest.approx(10 / (5 + sum((x - 3) ** 2 for x in ball.X_train[3])))
    s5d = problem_named("S5D").sample(0)
    np.testing.assert_allclose(s5d.y_train, 1 / (1 + np.exp(-s5d.X_train[:, 0])), rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("dimensions", [2, 5, 10])
def test_rotation_is_a_rotation_that_uses_every_axis(dimensions: int) -> None:
    matrix = rotation(dimensions)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(dimensions), atol=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1)
    assert np.all(np.abs(matrix[0]) > 0.01)
    explicit = np.eye(dimensions)
    for i in range(dimensions):
        for j in range(i + 1, dimensions):
            turn = np.eye(dimensions)
            turn[[i, j], [i, j]] = np.cos(np.pi / 4)
            turn[i, j], turn[j, i] = -np.sin(np.pi / 4), np.sin(np.pi / 4)
            explicit = explicit @ turn
    np.testing.assert_allclose(matrix, explicit, atol=1e-12)
    split = problem_named(f"RS{dimensions}D").sample(0)
    np.testing.assert_allclose(split.y_train, sigmoid(split.X_train @ explicit[0]), atol=1e-12)


def test_value_functions_have_the_known_values() -> None:
    """A few nodes of the reference tables, copied by hand: the recipe is followed exactly."""
    swing_up = value_iteration.pendulum().table()
    assert swing_up.shape == (441, 3)
    np.testing.assert_allclose(swing_up[:3, 2], [-4.757564802, -4.692326447, -4.7023953], atol=1e-8)
    shifted = value_iteration.shifted_pendulum().table()
    np.testing.assert_allclose(shifted[:3, 2], [-4.98013972, -4.96998977, -5.02189429], atol=1e-8)
    ball = value_iteration.magnetic_manipulation().table()
    assert ball.shape == (729, 3)
    np.testing.assert_allclose(ball[:3, 2], [-3.389518519, -3.213397289, -3.051416201], atol=1e-8)


def test_shifting_moves_the_goal() -> None:
    plain, shifted = value_iteration.pendulum(), value_iteration.shifted_pendulum()
    assert abs(plain.first[np.unravel_index(plain.values.argmax(), plain.values.shape)[0]]) == pytest.approx(
        np.pi
    )
    assert shifted.first[np.unravel_index(shifted.values.argmax(), shifted.values.shape)[0]] == pytest.approx(
        -np.pi / 2
    )


def test_value_functions_are_labelled_reconstructions() -> None:
    for name in ("SU", "SU-I", "MM"):
        problem = problem_named(name)
        assert problem.reconstruction
        assert "reconstruction" in problem.title
    assert not problem_named("K11C").reconstruction


@needs_copies
def test_pendulum_reproduces_the_authors_later_table() -> None:
    path = Path(str(LOCAL)) / "ps_2019_authors.csv"
    if not path.exists():
        pytest.skip("the authors' table is not among the local copies")
    table = pd.read_csv(path).to_numpy()
    values = value_iteration.pendulum(31, 31).values
    i = np.rint(((table[:, 0] + np.pi) % (2 * np.pi)) / (2 * np.pi / 30)).astype(int)
    j = np.rint((table[:, 1] + 30) / 2).astype(int)
    error = values[i, j] - table[:, 2]
    assert 1 - np.sum(error**2) / np.sum((table[:, 2] - table[:, 2].mean()) ** 2) >= 0.9999


@needs_copies
@pytest.mark.parametrize(
    ("file", "compute"),
    [
        ("su_regenerated.csv", value_iteration.pendulum),
        ("su_i_regenerated.csv", value_iteration.shifted_pendulum),
        ("mm_regenerated.csv", value_iteration.magnetic_manipulation),
    ],
)
def test_value_functions_equal_the_reference_tables(file: str, compute: object) -> None:
    path = Path(str(LOCAL)) / file
    if not path.exists():
        pytest.skip(f"{file} is not among the local copies")
    np.testing.assert_allclose(compute().table(), pd.read_csv(path).to_numpy(), atol=1e-8)  # type: ignore[operator]


def _table(table: datasets.Table) -> pd.DataFrame:
    """Rows that pass the checks: the known first row, then rows that bring the target means to the known ones."""
    rng = np.random.default_rng(0)
    values = rng.uniform(1, 5, (table.rows, len(table.columns)))
    values[0] = table.first_row
    for column, mean in enumerate(table.target_means, start=len(table.features)):
        values[1:, column] += (mean * table.rows - values[:, column].sum()) / (table.rows - 1)
    return pd.DataFrame(values, columns=list(table.columns))


def test_local_copies_are_checked(tmp_path: Path) -> None:
    good = _table(datasets.ENERGY)
    good.to_csv(tmp_path / "energy.csv", index=False)
    heating = problem_named("ENH", tmp_path).sample(0)
    cooling = problem_named("ENC", tmp_path).sample(0)
    assert heating.X_train.shape == cooling.X_train.shape == (538, 8)
    assert "cooling_load" not in heating.feature_names
    assert heating.y_train.mean() != pytest.approx(cooling.y_train.mean())
    good.iloc[:-1].to_csv(tmp_path / "energy.csv", index=False)
    with pytest.raises(StudyError, match="767 rows and 10 columns, not 768 and 10"):
        problem_named("ENC", tmp_path).prepare()
    good.assign(cooling_load=good.cooling_load.round(0)).to_csv(tmp_path / "energy.csv", index=False)
    with pytest.raises(StudyError, match=r"energy\.csv is not the Energy Efficiency table: its first row"):
        problem_named("ENC", tmp_path).prepare()
    (tmp_path / "energy.csv").write_bytes(b"\xff\xfe\x00nonsense")
    with pytest.raises(StudyError, match="not a readable CSV"):
        problem_named("ENC", tmp_path).prepare()


def test_offline_without_copies_says_what_to_put_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def offline(*_: object, **__: object) -> None:
        raise OSError("no network")

    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    monkeypatch.delenv(datasets.ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    monkeypatch.setattr(pd, "read_csv", offline)
    with pytest.raises(StudyError) as caught:
        problem_named("CCS").prepare()
    message = str(caught.value)
    assert "https://archive.ics.uci.edu/dataset/165" in message
    assert "concrete.csv" in message
    assert "--data-dir" in message
    assert "MULTIGENE_DATA" in message


def test_downloads_are_checked_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[int] = []

    class Bunch:
        def __init__(self, frame: pd.DataFrame) -> None:
            self.frame = frame

    def fetch(*, data_id: int, **_: object) -> Bunch:
        asked.append(data_id)
        frame = _table(datasets.AIRFOIL)
        return Bunch(frame.iloc[::-1] if data_id == 44957 else frame)

    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.delenv(datasets.ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    problem_named("ASN").prepare()
    assert asked == [44957, 43919]  # the first one's rows are in another order: refused
    problem_named("ASN").prepare()
    assert asked == [44957, 43919]  # from the cache
    (tmp_path / "multigene" / "airfoil.csv").write_text("broken\n1\n")
    problem_named("ASN").prepare()
    assert asked == [44957, 43919] * 2  # a broken cache is fetched again


@needs_copies
def test_real_tables() -> None:
    for name, rows in (("ASN", 1503), ("CCS", 1030), ("ENC", 768), ("ENH", 768)):
        split = problem_named(name, LOCAL).sample(0)
        assert len(split.y_train) == round(0.7 * rows)
        assert len(split.y_train) + len(split.y_test) == rows


def test_unknown_problem_names_the_nearest() -> None:
    with pytest.raises(StudyError, match="no problem 'RS5'; did you mean 'RS5D'"):
        problem_named("RS5")
    assert problem_named("su-i").name == "SU-I"
