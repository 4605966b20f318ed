"""Rows for training and a random share of them for testing."""

from __future__ import annotations

import numpy as np
import pandas as pd


def split(frame: pd.DataFrame, share: float, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows for training and a random share of them for testing, each in their old order."""
    tested = round(share * len(frame))
    if not 1 <= tested < len(frame):
        raise ValueError(
            f"holdout {share} of {len(frame)} rows leaves no rows on one side; take another share or more data."
        )
    drawn = np.zeros(len(frame), dtype=bool)
    drawn[np.random.default_rng(seed).permutation(len(frame))[:tested]] = True
    return frame[~drawn].reset_index(drop=True), frame[drawn].reset_index(drop=True)
