"""`otomo admin usage`: requests, tokens and money of one day, by user."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path

from bot.errors import ConfigError
from bot.settings import load_settings
from bot.store.spending import Spent, spending_by_user
from bot.store.store import Store


async def show_usage(day: str | None) -> int:
    """Print one line a user and a line for all; works beside a running bot.

    Raises:
        ConfigError: The day is no date.
        StoreError: The database cannot be read.
    """
    settings = load_settings()
    try:
        wanted = date.fromisoformat(day) if day else datetime.now(UTC).date()
    except ValueError:
        raise ConfigError(f"--day: {day!r} is not a date such as 2026-05-01") from None
    store = await Store.open(
        settings.database_url,
        secret=os.environ.get("OTOMO_SECRET_KEY") or None,
        key_file=Path(settings.storage.key_file).expanduser(),
        read_only=True,
    )
    try:
        rows = await spending_by_user(store, wanted.isoformat())
    finally:
        await store.close()
    prices = settings.spending.prompt_price, settings.spending.completion_price
    print(f"{wanted}  requests  tokens in  tokens out  cost")
    for user_id, spent in rows:
        print(_line(f"user {user_id}", spent, prices))
    print(_line("all", _sum([spent for _, spent in rows]), prices))
    return 0


def _sum(all_spent: list[Spent]) -> Spent:
    return Spent(
        sum(spent.requests for spent in all_spent),
        sum(spent.prompt_tokens for spent in all_spent),
        sum(spent.completion_tokens for spent in all_spent),
    )


def _line(who: str, spent: Spent, prices: tuple[float, float]) -> str:
    tokens = f"{spent.prompt_tokens:>9}  {spent.completion_tokens:>10}"
    return f"{who:<10}  {spent.requests:>8}  {tokens}  {spent.cost(*prices):.4f}"
