"""The real program in front of servers of our own; PostgreSQL where it can be had."""

from tests.databases import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]
