"""The database: the only place that knows SQLAlchemy."""

from bot.store.store import Store

__all__ = ["Store"]
