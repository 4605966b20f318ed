"""Rules as people write them: what is read, and the sentence that a mistake gets."""

from __future__ import annotations

import math

import pytest

from multigene.rules.stated import read

NAMES = ["t", "dose", "humidity"]


def one(text, own=()):
    [rule] = read([text], NAMES, own)
    return rule


def test_every_kind_is_read():
    assert one("sin, cos only of t").functions == ("sin", "cos")
    assert one("sin only of t, dose").columns == (0, 1)
    assert one("exp never of sin, t").inner == ("sin",)
    assert one("t only in exp, sin").functions == ("exp", "sin")
    assert one("exp at most 2").most == one("exp at most twice").most == 2
    assert one("must use dose").columns == (1,)
    assert one("never humidity, tanh").functions == ("tanh",)
    assert (one("log only of values above 1").low, one("log only of values above 1").high) == (1.0, math.inf)
    assert one("whole exponents").whole
    rule = one("whole constants between -10 and 1e1")
    assert (rule.kind, rule.whole, rule.low, rule.high) == ("constants", True, -10.0, 10.0)
    assert one("hill at most once", own=("hill",)).functions == ("hill",)
    assert read("must use t", NAMES) == read(["must use t"], NAMES)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("must use does", "rules: must use «does»: 'does' is no column; did you mean 'dose'?"),
        ("sine only of t", "rules: «sine» only of t: 'sine' is no function; did you mean 'sin'"),
        ("t at most 2", "'t' is no function; 't' is a column"),
        ("exp at most many", "rules: exp at most «many»: 'many' is no number of times"),
        ("exp at most 0", "write 'never exp'"),
        ("constants between 3 and -3", "holds for no number; exchange the bounds"),
        ("whole constants between 0.2 and 0.8", "has no whole number; widen it or leave out 'whole'"),
        ("constants around 3", "'around 3' is no range; write 'between -10 and 10'"),
        ("nevr humidity", "'nevr' is not understood; did you mean 'never'?"),
        ("sin only of t,", "lacks a name"),
        ("never t, dose, humidity", "leaves no column to build formulas of"),
        ("", "is no rule; write for example"),
    ],
)
def test_a_mistake_is_a_sentence(text, sentence):
    with pytest.raises(ValueError, match="rule") as error:
        read([text], NAMES)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("never dose", "must use dose", "cannot be in a formula and not in it"),
        ("never sin", "t only in sin", "sin is never used"),
        ("never sin", "sin only of t", "sin is never used"),
        ("sin only of t", "sin never of t", "nothing is left for sin"),
        ("sin only of t", "sin only of dose", "nothing is left for sin"),
        ("constants above 3", "constants below 2", "no number is within both ranges"),
        ("whole exponents", "exponents between 0.2 and 0.8", "no whole number is between 0.2 and 0.8"),
        ("log only of values above 3", "log only of values below 3", "no value is within both ranges"),
    ],
)
def test_contradictions_name_both_rules(first, second, why):
    for pair in ([first, second], [second, first]):
        with pytest.raises(ValueError, match="contradict each other") as error:
            read(pair, NAMES)
        assert repr(first) in str(error.value)
        assert repr(second) in str(error.value)
        assert why in str(error.value)
