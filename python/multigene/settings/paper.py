"""The paper's nine configurations by codename (Table 1), with the values of its Table 2.

A configuration is a `Settings` without the parts that the default search adds (`defaults.py`): one population, the paper's loop.
"""

from __future__ import annotations

from multigene.settings.settings import Genes, Mode, Selection, Settings, Tuning, Variation

_MODES: dict[str, Mode] = {"U": "unsynchronised", "S": "synchronised", "G": "global"}
GM_REASON = (
    "Configuration GM makes no sense: there is a single set of LCFs, so mutation alone would be a random "
    "walk without a population of sets to select from (paper, section 3.3.3). Take GB or GC."
)
CODENAMES: tuple[str, ...] = ("baseline", "UM", "UB", "UC", "SM", "SB", "SC", "GB", "GC")


def configuration(codename: str) -> Settings:
    """The paper's configuration of this codename, with the values of its Table 2.

    The first letter is the operation mode (U, S, G), the second how LCF weights are tuned (M mutation, B
    backpropagation, C both). `baseline` or `--` is multi-gene genetic programming without LCFs.
    """
    if codename in ("baseline", "--"):
        return Settings()
    if codename == "GM":
        raise ValueError(GM_REASON)
    if codename not in CODENAMES:
        alike = next(
            (
                f" (did you mean {known!r}?)"
                for known in CODENAMES
                if known.lower() == str(codename).strip().lower()
            ),
            "",
        )
        raise ValueError(
            f"There is no configuration {codename!r}{alike}; "
            f"take one of {', '.join(CODENAMES)}, or None for the default."
        )
    mode, tuning = codename[0], codename[1]
    backpropagates, mutates = tuning in "BC", tuning in "MC"
    # Tuned populations are half as large, because a tuned generation costs more (Table 2).
    selection = Selection(population_size=50, tournament_size=5, elites=8) if backpropagates else Selection()
    return Settings(
        genes=Genes(lcf=_MODES[mode]),
        selection=selection,
        variation=Variation(weights_mutation=0.05 if mutates else 0.0),
        tuning=Tuning() if backpropagates else None,
    )
