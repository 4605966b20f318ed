"""Settings: the paper's Table 2 by codename, changes by name, and refusals that say what to do."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import get_args

import numpy as np
import pytest

from multigene import MultigeneRegressor, Settings, configuration
from multigene._engine import Dataset, Population, Workers
from multigene.settings.check import _CHOICES, _PARAMETERS, _RANGES, _REAL, _SWITCHES, _WHOLE, check
from multigene.settings.functions import PAPER_FUNCTIONS, function_entries
from multigene.settings.paper import CODENAMES
from multigene.settings.settings import (
    PARTS,
    Criterion,
    Genes,
    Selection,
    Stopping,
    Tuning,
    Variation,
    field_names,
    setting_names,
)

MODES = {"U": "unsynchronised", "S": "synchronised", "G": "global"}


@pytest.mark.parametrize("codename", CODENAMES)
def test_table_2(codename):
    """Values of the paper's Table 2, with the halved population where weights are tuned by gradient."""
    settings = configuration(codename)
    check(settings)
    tuned, mutated = codename[1] in "BC", codename[1] in "MC"
    if codename == "baseline":
        tuned = mutated = False
    genes, selection, variation = settings.genes, settings.selection, settings.variation
    assert (genes.max_genes, genes.max_nodes, genes.max_depth) == (10, None, 11)
    assert genes.constant_range == (-10.0, 10.0)
    assert [name for name, _, _ in genes.functions] == list(PAPER_FUNCTIONS)
    assert len(PAPER_FUNCTIONS) == 16
    sizes = (selection.population_size, selection.tournament_size, selection.elites)
    assert sizes == ((50, 5, 8) if tuned else (100, 10, 15))
    assert (variation.crossover, variation.mutation) == (0.84, 0.14)
    assert (variation.high_level_crossover, variation.gene_selection) == (0.2, 0.5)
    assert variation.constant_mutation == 0.05
    assert variation.weights_mutation == (0.05 if mutated else 0.0)
    assert (variation.constant_sigma, variation.weights_sigma) == (0.1, 3.0)
    assert genes.lcf == (None if codename == "baseline" else MODES[codename[0]])
    assert genes.lcf_birth == "one-hot"
    assert genes.weighted_nodes == 0.0
    assert genes.fit_genes
    assert (settings.tuning is not None) == tuned
    if settings.tuning is not None:
        assert (settings.tuning.steps, settings.tuning.min_steps) == (25, 2)
        assert settings.tuning.rule == "irprop-"
        assert not settings.tuning.tune_constants


def test_nine_configurations():
    assert len(CODENAMES) == 9
    assert len({repr(configuration(codename)) for codename in CODENAMES}) == 9
    assert configuration("--") == configuration("baseline")


def test_gm_is_refused_with_the_papers_reason():
    with pytest.raises(ValueError, match=r"GM makes no sense.*random walk.*3\.3\.3.*GB or GC"):
        configuration("GM")
    by_hand = Settings(genes=Genes(lcf="global"), variation=Variation(weights_mutation=0.05))
    with pytest.raises(ValueError, match="GM makes no sense"):
        check(by_hand)


def test_a_codename_as_search_is_sent_to_the_right_parameter() -> None:
    with pytest.raises(ValueError, match="search='GC' is a configuration of the paper; give it as config"):
        MultigeneRegressor(search="GC").resolved_settings()


@pytest.mark.parametrize("typo", ["ub", "Ub", "UX", "", "BASELINE", "-", "UBB", 5, None, " UB"])
def test_codename_typos_get_a_sentence(typo):
    with pytest.raises(ValueError, match=re.escape(f"There is no configuration {typo!r}")) as error:
        configuration(typo)
    assert "baseline, UM, UB" in str(error.value)
    if str(typo).strip().upper() == "UB":
        assert "did you mean 'UB'" in str(error.value)


def test_every_setting_has_a_docstring():
    import ast
    import inspect

    import multigene.settings.settings as module

    tree = ast.parse(inspect.getsource(module))
    parts = {part.__name__ for part in PARTS.values()}
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name in parts]
    assert len(classes) == len(PARTS)
    for cls in classes:
        assert ast.get_docstring(cls)
        for item, following in zip(cls.body, [*cls.body[1:], None], strict=True):
            if isinstance(item, ast.AnnAssign):
                said = following.value.value if isinstance(following, ast.Expr) else None
                assert isinstance(said, str), f"{cls.name}.{item.target.id} has no docstring"


def test_symbols_of_table_2_are_named():
    import inspect

    import multigene.settings.settings as module

    source = inspect.getsource(module)
    for symbol in (
        "G_max",
        "N_max",
        "D_max",
        "|P|",
        "|T|",
        "`E`",
        "Pr_x",
        "Pr_m",
        "Pr_HLx",
        "Pr_LLx",
        "r_HLx",
        "Pr_Cm",
        "Pr_Wm",
        "Pr_Sm",
        "σ_Cm",
        "σ_Wm",
        "Bp_steps",
        "Bp_min",
    ):
        assert symbol in source, symbol


def test_names_are_unique_and_checked():
    total = sum(len(dataclasses.fields(cls)) for cls in PARTS.values())
    assert len(field_names()) == total
    checked = {
        *_WHOLE,
        *_REAL,
        *_RANGES,
        *_SWITCHES,
        *_CHOICES,
        "functions",
        "more_mutations",
        "product_features",
        "feature_scales",
        "typical_rows",
        "rules",
    }
    assert set(field_names()) == checked
    assert set(setting_names()) < checked


def test_what_the_program_chooses_is_no_setting():
    from multigene.settings.parameters import Parameters
    from multigene.settings.resolve import resolved
    from multigene.settings.text import setting_value

    assert len(setting_names()) <= 63
    for name in set(field_names()) - set(setting_names()):
        with pytest.raises(ValueError, match=f"'{name}' is chosen by the program and is no setting"):
            setting_value(name, 1)
        with pytest.raises(ValueError, match=f"'{name}' is chosen by the program and is no setting"):
            resolved(Parameters(settings={name: 1}))
    assert Settings().changed(distinct=True).selection.distinct  # for islands and benchmarks


def test_shallow_genes_need_no_other_setting():
    from multigene import MultigeneRegressor

    model = MultigeneRegressor("baseline", generations=2, random_state=0, settings={"max_depth": 1})
    assert model.fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 4.0]).predict([[3.0]]) == pytest.approx(3.0)


def test_the_engine_reads_settings_as_json():
    import json

    import numpy as np

    assert json.loads(Genes(max_genes=np.int64(3)).json)["max_genes"] == 3
    assert json.loads(Selection().json)["criterion"] == "r2"


@pytest.mark.parametrize("criterion", get_args(Criterion))
def test_the_engine_knows_every_criterion(criterion):
    population = Population.grow(Genes(), 2, [1, 2, 3], Workers(1))
    X = np.random.default_rng(0).uniform(1.0, 2.0, (20, 2))
    fitness, _ = population.evaluate(Dataset(X, X[:, 0]), Selection(criterion=criterion))
    assert fitness.max() > -np.inf


def test_settings_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().genes.max_genes = 3
    with pytest.raises(TypeError):
        Genes(3)


def test_with_values_and_changed():
    base = configuration("UB")
    assert base.with_values(max_genes=None, elites=3).selection.elites == 3
    assert base.with_values(max_genes=None).genes.max_genes == 10
    assert base.changed(target_r2=None).stopping.target_r2 is None
    assert base.changed(functions=["add", "sin"]).genes.functions == function_entries("add, sin")
    assert configuration("baseline").changed(tune_constants=True).tuning == Tuning(tune_constants=True)
    with pytest.raises(ValueError, match="no setting 'elite'; did you mean 'elites'"):
        base.changed(elite=3)
    with pytest.raises(ValueError, match="no setting 'qqqq'"):
        base.with_values(qqqq=3)


def test_function_entries():
    assert function_entries("sin, cos") == (("sin", None, 1.0), ("cos", None, 1.0))
    assert function_entries(["add", {"hill": "x**2/(1+x**2)"}]) == (
        ("add", None, 1.0),
        ("hill", "x**2/(1+x**2)", 1.0),
    )
    assert function_entries({"add": 2, "mul": None}) == (("add", None, 2.0), ("mul", None, 1.0))
    assert function_entries(function_entries("sin")) == (("sin", None, 1.0),)


@pytest.mark.parametrize(
    "functions",
    [
        5,
        [5],
        [None],
        {"add": -1},
        {"add": math.nan},
        {"add": [1]},
        [("a", 1, 1.0)],
        {"add": True},
        {"add": math.inf},
    ],
)
def test_nonsense_functions(functions):
    with pytest.raises(ValueError, match=r"give|functions contains"):
        function_entries(functions)


def test_defaults_pass_the_check():
    check(Settings())
    check(Settings(tuning=Tuning(), stopping=Stopping(seconds=1.0)))


@pytest.mark.parametrize("name", sorted({*_WHOLE, *_REAL, *_RANGES, *_SWITCHES, *_CHOICES}))
@pytest.mark.parametrize("value", ["text", -math.inf, math.nan, [], -(10**30), (2.0, 1.0), object, b"x"])
def test_nonsense_in_every_setting(name, value):
    with pytest.raises(ValueError, match=r"\w+=.* (is|are) .*") as error:
        check(configuration("UB").changed(**{name: value}))
    sentence = str(error.value)
    assert _PARAMETERS.get(name, name) in sentence
    assert sentence.endswith(".")
    assert re.search(r"give|take|exchange", sentence)


@pytest.mark.parametrize("name", sorted({*_WHOLE, *_REAL}))
def test_switches_are_not_numbers(name):
    with pytest.raises(ValueError, match=name if name != "seconds" else "time_limit"):
        check(configuration("UB").changed(**{name: True}))


@pytest.mark.parametrize("name", sorted(set(_WHOLE)))
def test_bounds_of_whole_numbers(name):
    low, high = _WHOLE[name]
    for value, word in ((low - 1, "too small"), (high + 1, "too large"), (2.5, "whole number")):
        with pytest.raises(ValueError, match=word):
            check(configuration("UB").changed(**{name: value}))


CONTRADICTIONS = [
    ({"elites": 50}, "elites=50 leaves no room"),
    ({"crossover": 0.9, "mutation": 0.2}, "add up to more than 1"),
    ({"constant_mutation": 0.6, "weights_mutation": 0.6}, "add up to more than 1"),
    ({"variable_frequency": 0.0, "lcf_frequency": 0.0, "constant_frequency": 0.0}, "all 0"),
    ({"lcf_range": (1.0, -1.0)}, "first number is the larger"),
]


@pytest.mark.parametrize(("changes", "sentence"), CONTRADICTIONS)
def test_contradictions(changes, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        check(configuration("UB").changed(**changes))


def test_parts_of_the_wrong_kind():
    with pytest.raises(ValueError, match=r"settings.genes is .*give a multigene.settings.Genes"):
        check(Settings(genes=Selection()))
