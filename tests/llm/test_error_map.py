"""The proof that every exception of the SDKs, and of what lies below them, is mapped to a ModelError kind."""

import aiohttp
import anthropic
import httpx2
import openai
import pytest

from bot.errors import (
    ModelBusy,
    ModelError,
    ModelFiltered,
    ModelRefusedKey,
    ModelRefusedRequest,
    ModelUnreachable,
)
from bot.llm import anthropic_style, openai_style

REQUEST = httpx2.Request("POST", "http://server/v1")
STYLES = {openai: openai_style, anthropic: anthropic_style}
KINDS = {
    "AuthenticationError": ModelRefusedKey,
    "OAuthError": ModelRefusedKey,
    "PermissionDeniedError": ModelRefusedKey,
    "PaymentRequiredError": ModelRefusedKey,
    "CredentialsError": ModelRefusedKey,
    "IdentityTokenFileError": ModelRefusedKey,
    "RateLimitError": ModelBusy,
    "OverloadedError": ModelBusy,
    "BadRequestError": ModelRefusedRequest,
    "NotFoundError": ModelRefusedRequest,
    "UnprocessableEntityError": ModelRefusedRequest,
    "ContentTooLargeError": ModelRefusedRequest,
    "PreconditionFailedError": ModelRefusedRequest,
    "RequestHeaderFieldsTooLargeError": ModelRefusedRequest,
    "InternalServerError": ModelUnreachable,
    "ContentFilterFinishReasonError": ModelFiltered,
}


def subclasses(root: type[BaseException]) -> set[type[BaseException]]:
    return {root}.union(*(subclasses(child) for child in root.__subclasses__()))


def exceptions_of(module):
    """Every exception class that the package defines anywhere, its own bases included."""
    root = openai.OpenAIError if module is openai else anthropic.AnthropicError
    named = {
        value
        for value in list(vars(module).values())
        if isinstance(value, type) and issubclass(value, Exception)
    }
    return sorted(subclasses(root) | named, key=lambda cls: cls.__name__)


def instance(cls):
    """Make one as the SDK would, without its constructor's whims."""
    error = cls.__new__(cls)
    Exception.__init__(error, "said something")
    if issubclass(cls, openai.APIError | anthropic.APIError):
        status = cls.__dict__.get("status_code") or next(
            (
                base.__dict__["status_code"]
                for base in cls.__mro__
                if isinstance(base.__dict__.get("status_code"), int)
            ),
            500,
        )
        error.message, error.body, error.request = "said something", None, REQUEST
        error.response = httpx2.Response(status, request=REQUEST)
        error.status_code = status
    return error


CASES = [(module, cls) for module in STYLES for cls in exceptions_of(module)]


@pytest.mark.parametrize(("module", "cls"), CASES, ids=lambda value: value.__name__)
def test_every_exception_of_the_sdk_is_mapped(module, cls):
    style = STYLES[module]
    assert issubclass(cls, style.foreign_errors())
    with pytest.raises(ModelError) as caught, style.mapped_errors("Testers"):
        raise instance(cls)
    assert isinstance(caught.value, KINDS.get(cls.__name__, ModelError))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


BELOW = sorted(
    {
        value
        for module in (httpx2, aiohttp)
        for value in list(vars(module).values())
        if isinstance(value, type) and issubclass(value, Exception) and not issubclass(value, Warning)
    }
    - {httpx2.CookieConflict, aiohttp.http_exceptions.HttpProcessingError},
    key=lambda cls: f"{cls.__module__}.{cls.__name__}",
)
SERVER_SIDE = ("aiohttp.web", "aiohttp.http_websocket", "aiohttp.multipart", "aiohttp.streams")


@pytest.mark.parametrize("cls", BELOW, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
@pytest.mark.parametrize("module", list(STYLES), ids=lambda module: module.__name__)
def test_every_exception_below_the_sdk_is_mapped(module, cls):
    if cls.__module__.startswith(SERVER_SIDE) or cls.__name__.startswith(("WebSocket", "WSMessage")):
        pytest.skip("raised by servers, websockets or multipart bodies, none of which a voice uses")
    assert issubclass(cls, STYLES[module].foreign_errors())


def test_a_status_decides_the_kind():
    for status, kind in {
        400: ModelRefusedRequest,
        401: ModelRefusedKey,
        418: ModelRefusedRequest,
        599: ModelUnreachable,
    }.items():
        error = instance(openai.APIStatusError)
        error.status_code = status
        assert isinstance(openai_style.mapped("T", error), kind)
