"""Smooth curves: the lines a figure is drawn with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def unit(vectors: Array) -> Array:
    """Return vectors of length one; `vectors` has shape (..., 3), zero vectors stay zero."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12), float)


def ease(values: Array, low: Array | float, high: Array | float) -> Array:
    """Return a smooth ramp from 0 at `low` to 1 at `high` (which may be the smaller one)."""
    t = np.clip((values - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def _second_derivatives(knots: Array, values: Array) -> Array:
    """Return the second derivatives of the natural cubic spline; (k,) and (k, d) give (k, d)."""
    count = len(knots)
    gaps = np.diff(knots)
    system = np.eye(count)
    right = np.zeros_like(values)
    for i in range(1, count - 1):
        system[i, i - 1 : i + 2] = gaps[i - 1], 2 * (gaps[i - 1] + gaps[i]), gaps[i]
        right[i] = 6 * ((values[i + 1] - values[i]) / gaps[i] - (values[i] - values[i - 1]) / gaps[i - 1])
    return np.asarray(np.linalg.solve(system, right), float)


def spline(points: Array, count: int) -> Array:
    """Return `count` points of a natural cubic spline through `points`.

    Args:
        points: (k, d), k >= 2; the curve's parameter is the chord length.
        count: Number of points returned, evenly spaced in the parameter.
    """
    points = np.asarray(points, float)
    knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    bend = _second_derivatives(knots, points)
    at = np.linspace(0.0, knots[-1], count)
    i = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(knots) - 2)
    gap = (knots[i + 1] - knots[i])[:, None]
    b = ((at - knots[i])[:, None]) / gap
    a = 1.0 - b
    curve = a * points[i] + b * points[i + 1]
    return np.asarray(curve + ((a**3 - a) * bend[i] + (b**3 - b) * bend[i + 1]) * gap**2 / 6.0)


def _slopes(xs: Array, ys: Array) -> Array:
    """Return slopes that keep a cubic monotone between its knots (Fritsch and Carlson)."""
    rise = np.diff(ys) / np.diff(xs)
    slopes = np.empty_like(ys)
    slopes[0], slopes[-1] = rise[0], rise[-1]
    slopes[1:-1] = np.where(rise[:-1] * rise[1:] > 0, 0.5 * (rise[:-1] + rise[1:]), 0.0)
    limit = 3 * np.minimum(np.abs(np.append(rise[:1], rise)), np.abs(np.append(rise, rise[-1:])))
    return np.clip(slopes, -limit, limit)


def profile(at: Array | float, xs: Array, ys: Array) -> Array:
    """Return a monotone cubic through (xs, ys) at `at`, held constant outside the knots."""
    x = np.clip(np.asarray(at, float), xs[0], xs[-1])
    slopes = _slopes(xs, ys)
    i = np.clip(np.searchsorted(xs, x, side="right") - 1, 0, len(xs) - 2)
    gap = xs[i + 1] - xs[i]
    t = (x - xs[i]) / gap
    start = (1 + 2 * t) * (1 - t) ** 2 * ys[i] + t * (1 - t) ** 2 * gap * slopes[i]
    end = t**2 * (3 - 2 * t) * ys[i + 1] + t**2 * (t - 1) * gap * slopes[i + 1]
    return np.asarray(start + end)
