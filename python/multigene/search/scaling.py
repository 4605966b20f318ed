"""Standardised features and the way back: searches evolve on columns of mean 0 and variance 1, users get their own units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.search.constants import STANDARD_MEAN, STANDARD_SCALE

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scaling:
    """Mean and scale of every feature."""

    means: Floats
    scales: Floats

    @staticmethod
    def of(X: Floats, weights: Floats | None) -> Scaling:
        """Weighted means and standard deviations; a feature that hardly varies stays as it is, and one that is about standardised
        already: its means and scales would be printed."""
        # In units of the largest value: squares of values near the end of the range would overflow or vanish.
        size = np.abs(X).max(axis=0)
        size = np.where(size > 0.0, size, 1.0)
        scaled = X / size
        means = np.average(scaled, axis=0, weights=weights)
        scaled -= means
        np.square(scaled, out=scaled)
        scales = np.sqrt(np.average(scaled, axis=0, weights=weights))
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            usable = (scales > 1e-14 * np.abs(means)) & np.isfinite(1.0 / (scales * size))
            means, scales = means * size, scales * size
            standard = (np.abs(means) <= STANDARD_MEAN * scales) & (np.abs(np.log2(scales)) <= STANDARD_SCALE)
        usable &= ~standard
        return Scaling(np.where(usable, means, 0.0), np.where(usable, scales, 1.0))

    def tied(self, exchanged: Sequence[Sequence[int]], mirrored: Sequence[int]) -> Scaling:
        """The same for columns that can be exchanged, and around zero for those that can be mirrored."""
        means, scales = self.means.copy(), self.scales.copy()
        for columns in map(list, exchanged):
            means[columns], scales[columns] = means[columns].mean(), scales[columns].mean()
        means[list(mirrored)] = 0.0
        return Scaling(means, scales)

    @staticmethod
    def none(n_features: int) -> Scaling:
        """Features as they are."""
        return Scaling(np.zeros(n_features), np.ones(n_features))

    @property
    def shifted(self) -> list[bool]:
        """Which features are printed as (x - mean)/scale."""
        return [bool(m != 0.0 or s != 1.0) for m, s in zip(self.means, self.scales, strict=True)]

    @property
    def changes(self) -> bool:
        """Does it do anything?"""
        return bool(np.any(self.scales != 1.0) or np.any(self.means != 0.0))

    def standardised(self, X: Floats) -> Floats:
        """Features as the searches see them: the same array where nothing changes."""
        if not self.changes:
            return X
        Z = np.subtract(X, self.means)
        Z /= self.scales  # in place: there may be very many rows
        return Z

    def in_user_units(self, individual: Individual) -> Individual:
        """A model of standardised features as one of the user's."""
        return individual.in_original_units(self.means.tolist(), self.scales.tolist())
