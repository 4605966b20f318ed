"""Fuzzy value iteration: computes the value functions behind the problems SU, SU-I and MM.

The paper's own three files are not public, so the study computes stand-ins of the same kind and size: a value
function of a pendulum swing-up (SU, SU-I) and of magnetic manipulation with two coils (MM) on a grid of
states. They are *reconstructions*: their results compare with the paper's in kind, not digit by digit.

V(x) = max_u [ r(x, u) + gamma * Vhat(f(x, u)) ], iterated from 0 on the nodes of the grid; Vhat is the
bilinear interpolation between nodes, which is what triangular membership functions give. The next states do
not change between iterations, so they and their interpolation weights are computed once; an iteration is then
one gather and one maximum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Derivative = Callable[[Array, Array], tuple[Array, Array]]


@dataclass(frozen=True)
class ValueFunction:
    """Values on a grid of two state variables; `values[i, j]` belongs to `first[i]`, `second[j]`."""

    first: Array
    second: Array
    values: Array

    def table(self) -> Array:
        """One row per node: first state variable, second state variable, value (the first one changes
        slowest).
        """
        first, second = np.meshgrid(self.first, self.second, indexing="ij")
        return np.column_stack([first.ravel(), second.ravel(), self.values.ravel()])


def runge_kutta(
    derivative: Derivative, first: Array, second: Array, seconds: float, steps: int
) -> tuple[Array, Array]:
    """The state after `seconds` by `steps` classical Runge-Kutta steps of fourth order."""
    h = seconds / steps
    for _ in range(steps):
        a1, b1 = derivative(first, second)
        a2, b2 = derivative(first + 0.5 * h * a1, second + 0.5 * h * b1)
        a3, b3 = derivative(first + 0.5 * h * a2, second + 0.5 * h * b2)
        a4, b4 = derivative(first + h * a3, second + h * b3)
        first = first + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        second = second + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    return first, second


def iterate(
    first: Array,
    second: Array,
    next_first: Array,
    next_second: Array,
    reward: Array,
    gamma: float,
    tolerance: float,
) -> Array:
    """The fixed point of the value iteration on the grid `first` x `second`.

    `next_first`, `next_second` and `reward` have the shape (nodes, actions), nodes in the order of
    `ValueFunction.table`. Next states must already lie on the grid's range (clipped or wrapped). Stops when
    no value changes by `tolerance` or more.
    """
    i, u = _cell(first, next_first)
    j, v = _cell(second, next_second)
    columns = len(second)
    corner = i * columns + j
    weights = ((1 - u) * (1 - v), (1 - u) * v, u * (1 - v), u * v)
    corners = (corner, corner + 1, corner + columns, corner + columns + 1)
    values: Array = np.zeros(len(first) * columns)
    while True:
        ahead = sum(weight * values[node] for weight, node in zip(weights, corners, strict=True))
        updated: Array = np.max(reward + gamma * ahead, axis=1)
        change = float(np.max(np.abs(updated - values)))
        values = updated
        if change < tolerance:
            return values.reshape(len(first), columns)


def _cell(nodes: Array, at: Array) -> tuple[NDArray[np.intp], Array]:
    """The lower node of the interval that holds each point, and the point's place in it from 0 to 1
    (equidistant nodes).
    """
    position = (at - nodes[0]) / (nodes[1] - nodes[0])
    lower = np.clip(np.floor(position).astype(np.intp), 0, len(nodes) - 2)
    return lower, np.clip(position - lower, 0.0, 1.0)


@lru_cache(maxsize=8)
def pendulum(angles: int = 21, velocities: int = 21) -> ValueFunction:
    """The swing-up of an inverted pendulum: angle on [-pi, pi] (0 hangs down, +-pi is upright), velocity on
    [-30, 30].
    """
    inertia, mass, gravity, length = 1.7937e-4, 0.055, 9.81, 0.042
    damping, coulomb, motor, resistance = 1.94e-5, 8.5e-4, 0.0536, 9.5
    angle = np.linspace(-np.pi, np.pi, angles)
    velocity = np.linspace(-30.0, 30.0, velocities)
    voltage = np.linspace(-2.0, 2.0, 11)
    a, w = (grid.ravel()[:, None] for grid in np.meshgrid(angle, velocity, indexing="ij"))

    def derivative(a: Array, w: Array) -> tuple[Array, Array]:
        torque = motor / resistance * voltage - mass * gravity * length * np.sin(a)
        friction = (damping + motor**2 / resistance) * w + coulomb * np.sign(w)
        return w, (torque - friction) / inertia

    start = np.broadcast_to(a, (a.shape[0], len(voltage))), np.broadcast_to(w, (w.shape[0], len(voltage)))
    next_angle, next_velocity = runge_kutta(derivative, *start, seconds=0.05, steps=8)
    next_angle = (next_angle + np.pi) % (2 * np.pi) - np.pi
    next_velocity = np.clip(next_velocity, velocity[0], velocity[-1])
    reward = -0.5 * (np.pi - np.abs(a)) - 0.01 * np.abs(w) - 0.05 * np.abs(voltage)
    return ValueFunction(
        angle, velocity, iterate(angle, velocity, next_angle, next_velocity, reward, 0.9, 1e-10)
    )


def shifted_pendulum() -> ValueFunction:
    """SU-I: the same function with the angle shifted by pi/2, so that the goal is at -pi/2.

    Node 0 and node 20 of the 21 angles are the same angle, so the circle has 20 nodes and a quarter turn is 5
    of them.
    """
    plain = pendulum()
    circle = len(plain.first) - 1
    source = (np.arange(circle + 1) - circle // 4) % circle
    return ValueFunction(plain.first, plain.second, plain.values[source])


@lru_cache(maxsize=2)
def magnetic_manipulation() -> ValueFunction:
    """A ball on a rail over two coils: position on [0, 0.05] m, velocity on [-0.4, 0.4] m/s, goal at 0.035 m."""
    alpha, beta, mass, damping = 5.52e-10, 1.75e-4, 0.032, 0.01613
    position = np.linspace(0.0, 0.05, 27)
    velocity = np.linspace(-0.4, 0.4, 27)
    levels = np.array([0.0, 0.15, 0.3, 0.45, 0.6])
    current = [grid.ravel() for grid in np.meshgrid(levels, levels, indexing="ij")]
    y, w = (grid.ravel()[:, None] for grid in np.meshgrid(position, velocity, indexing="ij"))

    def derivative(y: Array, w: Array) -> tuple[Array, Array]:
        pull = sum(
            alpha * (y - coil) / ((y - coil) ** 2 + beta) ** 3 * squared
            for coil, squared in zip((0.025, 0.05), current, strict=True)
        )
        return w, (-damping * w - pull) / mass

    start = np.broadcast_to(y, (y.shape[0], 25)), np.broadcast_to(w, (w.shape[0], 25))
    next_position, next_velocity = runge_kutta(derivative, *start, seconds=0.01, steps=4)
    next_position = np.clip(next_position, position[0], position[-1])
    next_velocity = np.clip(next_velocity, velocity[0], velocity[-1])
    reward = -100 * (0.035 - y) ** 2 - 0.5 * w**2
    values = iterate(position, velocity, next_position, next_velocity, reward, 0.95, 1e-7)
    return ValueFunction(position, velocity, values)
