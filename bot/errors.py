"""Every error of the product, drawn as one tree.

OtomoError
├── ConfigError            a wrong key, value or file; the start ends with this one line (operator)
├── StoreError             the database cannot be used (operator)
│   ├── StoreLocked        another process holds the file
│   ├── StoreBusy          it does not answer now: worth another try
│   └── Unreadable         a sealed value and no key that opens it
├── Fenced                 somebody else changed what this turn had loaded; the lane loads it again
├── ModelError             the model gave no reply; the user hears a kind sentence, the turn is kept
│   ├── ModelUnreachable   no connection, connection lost, 5xx: worth another try
│   ├── ModelSilent        nothing came for too long: worth another try
│   ├── ModelBusy          rate limit (429, or a body that says so): worth another try after a wait
│   ├── ModelRefusedKey    401 / 403: the operator must fix the key
│   ├── ModelRefusedRequest 400 / 404 / unknown model: the operator must fix the settings
│   ├── ModelFiltered      the provider's content filter spoke
│   └── ModelEmpty         an answer without a word in it
├── SendError              a platform did not take a message
│   ├── SendLater          rate limit: wait `after_s`, then the same again
│   ├── NotSent            surely not delivered: the same again
│   ├── MaybeSent          perhaps delivered: never repeat where the platform has no nonce
│   ├── Unreachable        blocked or closed: pause until the user writes again
│   └── Rejected           the content is refused: another form of it, never the same again
├── PlatformDown           a platform cannot start or has ended (bad token, second poller); the others go on
├── ChildError             a child process died, hung or said no
│   ├── ChildDied          it ended or was killed at its time limit
│   └── ChildRefused       it answered with an error of its own (`kind`, message)
├── FileError              a user's file cannot be fetched; the sentence for the user is in `wording`
│   └── FileTooLarge       it has more bytes than are taken
└── PictureError           a picture that cannot be read; the sentence for the user is in `wording`
"""

from __future__ import annotations


class OtomoError(Exception):
    """Everything the product raises by itself."""


class ConfigError(OtomoError):
    """A wrong key, value or file; its text is the one line that the operator sees."""


class StoreError(OtomoError):
    """The database cannot be used."""


class StoreLocked(StoreError):
    """Another process holds the database file."""


class StoreBusy(StoreError):
    """The database does not answer now; the same may succeed later."""


class Unreadable(StoreError):
    """A sealed value that no known key opens."""


class Fenced(OtomoError):
    """Somebody else changed what this turn had loaded; it must load again."""


class ModelError(OtomoError):
    """The model gave no usable reply.

    Attributes:
        again: Whether the same request may succeed soon.
        after_s: How long the provider asked to wait, in seconds, if it said so.
    """

    again = False

    def __init__(self, message: str = "", after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class ModelUnreachable(ModelError):
    """No connection, a lost one, or the server's own fault."""

    again = True


class ModelSilent(ModelError):
    """Nothing came for too long."""

    again = True


class ModelBusy(ModelError):
    """The provider's rate limit."""

    again = True


class ModelRefusedKey(ModelError):
    """The key is wrong or lacks the right."""


class ModelRefusedRequest(ModelError):
    """The model's name or the request itself is refused."""


class ModelFiltered(ModelError):
    """The provider's content filter ended the reply."""


class ModelEmpty(ModelError):
    """The model answered without a word."""

    again = True


class SendError(OtomoError):
    """A platform did not take a message."""


class SendLater(SendError):
    """A rate limit; the same message may go after `after_s` seconds."""

    def __init__(self, message: str, after_s: float) -> None:
        super().__init__(message)
        self.after_s = after_s


class NotSent(SendError):
    """The message surely did not reach the platform."""


class MaybeSent(SendError):
    """The message may have reached the platform."""


class Unreachable(SendError):
    """The user has blocked her or closed the chat."""


class Rejected(SendError):
    """The platform refuses the content itself."""


class PlatformDown(OtomoError):
    """A platform cannot start or has ended for good."""


class ChildError(OtomoError):
    """A child process did not do its work."""


class ChildDied(ChildError):
    """The child ended, or was killed at its time limit."""


class ChildRefused(ChildError):
    """The child answered with an error of its own.

    Attributes:
        kind: The class name of the child's error.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class FileError(OtomoError):
    """A user's file that cannot be fetched."""


class FileTooLarge(FileError):
    """A user's file with more bytes than are taken."""


class PictureError(OtomoError):
    """A picture that cannot be read."""
