"""config/default.toml, then otomo.toml, then the environment: one frozen Settings, read once."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from bot.errors import ConfigError
from engine.zones import find_zone

CONFIG_DIR = Path(__file__).resolve().parent.parent / "config"
OWN_FILE = "otomo.toml"
ENV_PREFIX = "OTOMO_"


def _known_zone(name: str) -> str:
    if find_zone(name) is None:
        raise ValueError("no such time zone: name one like Europe/Berlin")
    return name


LEAST_WINDOW = 1024
"""Tokens; a smaller window would hold the rules and nothing else."""

Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=0)]
Provider = Literal[
    "auto",
    "openai",
    "anthropic",
    "openrouter",
    "xai",
    "deepseek",
    "google",
    "ollama",
    "lmstudio",
    "llamacpp",
    "vllm",
    "custom",
    "scripted",
]


def _window(tokens: int) -> int:
    """Refuse a context window that holds no prompt."""
    if 0 < tokens < LEAST_WINDOW:
        raise ValueError(f"should be 0 (no scaling) or at least {LEAST_WINDOW}")
    return tokens


class Section(BaseModel):
    """One section of the settings: unknown keys are refused, values cannot be changed later."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        coerce_numbers_to_str=True,
    )


class Telegram(Section):
    """How Telegram is reached."""

    token: SecretStr
    base_url: str
    base_file_url: str
    mode: Literal["polling", "webhook"]
    webhook_url: str
    webhook_host: str
    webhook_port: Annotated[int, Field(ge=1, le=65535)]
    webhook_secret: SecretStr


class Discord(Section):
    """How Discord is reached; empty addresses mean Discord's own."""

    token: SecretStr
    api_base: str
    gateway_url: str
    application_id: str


class Fallback(Section):
    """A model that is asked when the ones before it fail; what is left out is as in the first."""

    provider: Provider
    base_url: str = ""
    model: str = ""
    api_key: SecretStr = SecretStr("")
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=16, le=16384)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None


class Llm(Section):
    """Which model voices her."""

    provider: Provider
    base_url: str
    model: str
    api_key: SecretStr
    temperature: Annotated[float, Field(ge=0, le=2)]
    top_p: Annotated[float, Field(gt=0, le=1)]
    max_tokens: Annotated[int, Field(ge=16, le=16384)]
    presence_penalty: Annotated[float, Field(ge=-2, le=2)]
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)]
    context_window: Annotated[int, Field(ge=0, le=131072), AfterValidator(_window)]
    silence_s: Positive
    turn_s: Positive
    retries: Annotated[int, Field(ge=0, le=10)]
    fallbacks: tuple[Fallback, ...]


class Spending(Section):
    """What the models may cost on one UTC day; 0 is no cap."""

    user_requests: Count
    user_tokens: Count
    all_requests: Count
    all_tokens: Count
    prompt_price: Annotated[float, Field(ge=0)]
    completion_price: Annotated[float, Field(ge=0)]


class Game(Section):
    """What the operator may change of the game."""

    daily_affection: Annotated[int, Field(ge=0, le=1000)]
    daily_stat: Annotated[int, Field(ge=0, le=100)]
    decay: bool
    events: bool


class Turn(Section):
    """The pace of the talk, in seconds."""

    quiet_s: Annotated[float, Field(ge=0, le=60)]
    longest_wait_s: Annotated[float, Field(ge=0, le=300)]
    notice_s: Positive
    retry_model_s: Positive


class Storage(Section):
    """Where the database is and where the key that seals it."""

    url: str
    key_file: Annotated[str, Field(min_length=1)]


class Data(Section):
    """Where files are kept."""

    dir: Annotated[str, Field(min_length=1)]


class Embeddings(Section):
    """Which model turns text into meaning."""

    model: str


class Render(Section):
    """Her face."""

    enabled: bool
    figure: Annotated[str, Field(min_length=1)]
    framing: Literal["portrait", "bust", "full"]
    size_px: Annotated[int, Field(ge=64, le=1536)]
    cache_mb: Annotated[int, Field(ge=1, le=100_000)]
    timeout_s: Positive
    loop_size_px: Annotated[int, Field(ge=64, le=768, multiple_of=2)]
    actions: Literal["all"] | tuple[str, ...]
    idles: Literal["all"] | tuple[str, ...]
    emotes_dir: str
    avatars_dir: str
    backgrounds_dir: str
    uploads: bool
    upload_mb: Annotated[int, Field(ge=1, le=64)]


class Companion(Section):
    """Who she is and how she is spoken to."""

    persona: Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,64}$")]
    language: Annotated[str, Field(pattern=r"^(auto|[a-z]{2})$")]
    timezone: Annotated[str, AfterValidator(_known_zone)]


class Log(Section):
    """What the operator reads."""

    level: Literal["debug", "info", "warning", "error"]


class Settings(BaseSettings):
    """Everything that can be set, checked."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    telegram: Telegram
    discord: Discord
    llm: Llm
    spending: Spending
    game: Game
    turn: Turn
    storage: Storage
    data: Data
    embeddings: Embeddings
    render: Render
    companion: Companion
    log: Log

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Rank the sources: environment, short names, the operator's file, the defaults."""
        return (
            init_settings,
            EnvSettingsSource(settings_cls),
            _ShortNames(settings_cls),
            TomlConfigSettingsSource(settings_cls, toml_file=Path(OWN_FILE)),
            TomlConfigSettingsSource(settings_cls, toml_file=CONFIG_DIR / "default.toml"),
        )

    @property
    def database_url(self) -> str:
        """The database's address: `storage.url`, or SQLite in the data folder."""
        return self.storage.url or f"sqlite+aiosqlite:///{Path(self.data.dir).resolve() / 'otomo.db'}"


class _ShortNames(PydanticBaseSettingsSource):
    """TELEGRAM_TOKEN and its like: the names that hosts and users already have."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for variable, section in (("TELEGRAM_TOKEN", "telegram"), ("DISCORD_TOKEN", "discord")):
            if value := os.environ.get(variable, "").strip():
                found[section] = {"token": value}
        return found


def load_settings() -> Settings:
    """Read and check every source.

    Raises:
        ConfigError: One line that names the wrong key, file or variable and never its value.
    """
    _refuse_unknown_sections(os.environ)
    try:
        settings = Settings()  # type: ignore[call-arg]  # every field comes from a source
    except ValidationError as error:
        raise ConfigError(_one_line(error)) from None
    except SettingsError as error:
        section = re.search(r'field "(\w+)"', str(error))
        name = f"{ENV_PREFIX}{section[1].upper()}" if section else ENV_PREFIX
        raise ConfigError(f"{name}...: a list or a table must be written as JSON") from None
    except ValueError as error:  # TOML that does not parse; pydantic-settings names no file
        raise ConfigError(f"{OWN_FILE}: {error}") from None
    return _with_provider_key(settings)


def ensure_data_dir(settings: Settings) -> Path:
    """Make the data folder at first start; a missing parent is a typing error, not a wish.

    Raises:
        ConfigError: The parent is missing or the folder cannot be made or written.
    """
    path = Path(settings.data.dir).expanduser().resolve()
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        raise ConfigError(f"data.dir: {path}: not a folder") from None
    except OSError as error:
        raise ConfigError(f"data.dir: {path}: {error.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise ConfigError(f"data.dir: {path}: not writable")
    return path


def _refuse_unknown_sections(environment: Mapping[str, str]) -> None:
    for variable in environment:
        if not variable.upper().startswith(ENV_PREFIX):
            continue
        _refuse_one_underscore(variable)
        if "__" not in variable:
            continue
        section = variable[len(ENV_PREFIX) :].split("__", 1)[0].lower()
        if section not in Settings.model_fields:
            raise ConfigError(f"{variable}: unknown section '{section}'")


def _refuse_one_underscore(variable: str) -> None:
    """OTOMO_LLM_MODEL would set nothing, in silence: the commonest slip of all."""
    section, _, key = variable[len(ENV_PREFIX) :].partition("_")
    if key and not key.startswith("_") and section.lower() in Settings.model_fields:
        meant = f"{ENV_PREFIX}{section}__{key}"
        raise ConfigError(f"{variable}: two underscores stand between section and key: {meant}")


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    key = ".".join(str(part) for part in first["loc"]) or OWN_FILE
    if first["type"] == "extra_forbidden":
        return f"{key}: unknown setting"
    message = first["msg"].removeprefix("Value error, ")
    return f"{key}: {message[:1].lower()}{message[1:]}"


def _with_provider_key(settings: Settings) -> Settings:
    """Fill in the key from the variable that the provider's own tools use, and settle on a provider."""
    llm = settings.llm
    openai, anthropic = os.environ.get("OPENAI_API_KEY", ""), os.environ.get("ANTHROPIC_API_KEY", "")
    provider, key = llm.provider, llm.api_key.get_secret_value()
    if provider == "auto":
        if llm.base_url:
            provider = "custom"
        elif openai or (key and not anthropic):
            provider = "openai"
        elif anthropic:
            provider = "anthropic"
    if not key:
        key = anthropic if provider == "anthropic" else openai if provider in ("openai", "custom") else ""
    changed = llm.model_copy(update={"provider": provider, "api_key": SecretStr(key)})
    return settings.model_copy(update={"llm": changed})
