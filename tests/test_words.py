"""Words of messages: nouns agree with their numbers, near names are found."""

from __future__ import annotations

from multigene.words import among, anatomy, counted, nearest


def test_nouns_agree_with_their_numbers() -> None:
    assert [counted(n, "gene") for n in (0, 1, 2)] == ["0 genes", "1 gene", "2 genes"]
    assert anatomy(1, 1) == "1 node, 1 gene"
    assert anatomy(5, 2, " · ") == "5 nodes · 2 genes"
    assert among(1) == "the only model of the front"
    assert among(12) == "one of 12 models of the front"


def test_near_names() -> None:
    assert nearest("latx", ["latex", "text", "onnx"]) == "; did you mean 'latex'?"
    assert nearest("weigth", ["weight", "weights"]) == "; did you mean 'weight' or 'weights'?"
    assert nearest("zzz", ["latex"]) == ""
