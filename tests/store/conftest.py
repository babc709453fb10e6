"""The databases for the tests of this folder."""

from tests.databases import database_url, key_file, postgres_server, postgres_url, sqlite_url, store

__all__ = ["database_url", "key_file", "postgres_server", "postgres_url", "sqlite_url", "store"]
