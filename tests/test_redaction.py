"""No secret passes a handler that has the filter."""

from __future__ import annotations

import io
import logging

import pytest

from bot.redaction import REDACTED, RedactSecrets

SECRET = "123:AAsecret/token"


@pytest.fixture
def log():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s"))
    handler.addFilter(RedactSecrets([SECRET, "", "abc"]))
    logger = logging.getLogger("test.redaction")
    logger.propagate = False
    logger.setLevel(logging.DEBUG)
    logger.addHandler(handler)
    yield logger, stream
    logger.removeHandler(handler)


def test_a_secret_in_the_message_its_values_or_quoted(log):
    logger, stream = log
    logger.info("url https://x/bot%s/getMe", SECRET)
    logger.info(f"plain {SECRET}")
    logger.info("quoted %s", "123%3AAAsecret%2Ftoken")
    assert stream.getvalue().count(REDACTED) == 3
    assert "AAsecret" not in stream.getvalue()


def test_a_secret_in_a_traceback(log):
    logger, stream = log
    try:
        raise ValueError(f"The token `{SECRET}` was rejected")
    except ValueError:
        logger.exception("it failed")
    logger.info("stack", stack_info=True)
    assert "AAsecret" not in stream.getvalue()
    assert "ValueError" in stream.getvalue()


def test_the_rest_stays_as_it_is(log):
    logger, stream = log
    logger.info("%d words about abc", 3)
    assert stream.getvalue() == "test.redaction 3 words about abc\n"
