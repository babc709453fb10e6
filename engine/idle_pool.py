"""Which idle a resting still takes its pose from (specification, "Animation Library": base behaviour)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence


def idle_pool(chosen: Sequence[str], library: Collection[str], built_in: Sequence[str]) -> tuple[str, ...]:
    """Return the idles to pick from.

    Args:
        chosen: The pool as somebody set it.
        library: The ids that exist now; one that has vanished drops out.
        built_in: The idles that are always there; they stand in for an empty pool.
    """
    return tuple(idle for idle in chosen if idle in library) or tuple(built_in)


def next_idle(pool: Sequence[str], last: str | None, draw: Callable[[], float]) -> str | None:
    """Return the idle to show next: never the same twice running where there is another; None without a pool.

    Args:
        pool: The idles to pick from.
        last: The one shown last in this chat.
        draw: The dice, 0 <= x < 1.
    """
    others = [idle for idle in pool if idle != last] or list(pool)
    return others[int(draw() * len(others))] if others else None
