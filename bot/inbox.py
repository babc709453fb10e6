"""The way in: what a platform brings is written down before the platform is told that it arrived."""

from __future__ import annotations

from bot.store.arrivals import write_down
from bot.store.people import FirstCharacter
from bot.store.store import Store
from engine.conversation import Incoming


class Inbox:
    """Takes everything that makes her act.

    Args:
        store: Where it is kept.
        first_character: Makes the character of somebody she meets for the first time.
    """

    def __init__(self, store: Store, first_character: FirstCharacter) -> None:
        self._store = store
        self._first_character = first_character

    async def accept(self, incoming: Incoming) -> bool:
        """Write an incoming for good, then wake the lanes.

        A new account gets a user and a character. Nothing is ever refused for being too much: what
        waits of one user is answered together.

        Returns:
            False for a key that is known already; it changes nothing.

        Raises:
            StoreError: It could not be written. The platform must deliver it again.
        """
        return await write_down(self._store, incoming, self._first_character)
