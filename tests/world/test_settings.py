"""Settings: four sources, one frozen value, and one line that names what is wrong."""

import pytest

from bot.errors import ConfigError
from bot.settings import ensure_data_dir, load_settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch, tmp_path):
    import os

    for name in list(os.environ):
        if name.startswith("OTOMO_") or name in (
            "TELEGRAM_TOKEN",
            "DISCORD_TOKEN",
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
        ):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_the_environment_beats_the_file_and_the_file_beats_the_defaults(monkeypatch, tmp_path):
    (tmp_path / "otomo.toml").write_text('[llm]\nmodel = "mine"\ntemperature = 0.3\n')
    monkeypatch.setenv("OTOMO_LLM__MODEL", "theirs")
    llm = load_settings().llm
    assert (llm.model, llm.temperature, llm.top_p) == ("theirs", 0.3, 1.0)


def test_short_names_fill_in_tokens_and_keys(monkeypatch):
    monkeypatch.setenv("TELEGRAM_TOKEN", "1:abc")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
    settings = load_settings()
    assert settings.telegram.token.get_secret_value() == "1:abc"
    assert (settings.llm.provider, settings.llm.api_key.get_secret_value()) == ("anthropic", "sk-x")


def test_a_base_url_without_a_provider_is_a_custom_server(monkeypatch):
    monkeypatch.setenv("OTOMO_LLM__BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-y")
    llm = load_settings().llm
    assert (llm.provider, llm.api_key.get_secret_value()) == ("custom", "sk-y")


def test_ids_may_be_written_as_numbers(tmp_path):
    (tmp_path / "otomo.toml").write_text("[discord]\napplication_id = 123\n")
    assert load_settings().discord.application_id == "123"


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("OTOMO_LLM__MODELL", "x", "llm.modell"),
        ("OTOMO_NOSUCH__KEY", "x", "OTOMO_NOSUCH__KEY"),
        ("OTOMO_LLM_MODEL", "x", "OTOMO_LLM__MODEL"),
        ("OTOMO_TURN__QUIET_S", "soon", "turn.quiet_s"),
        ("OTOMO_TURN__QUIET_S", "nan", "turn.quiet_s"),
        ("OTOMO_LLM__PROVIDER", "closedai", "llm.provider"),
        ("OTOMO_RENDER__SIZE_PX", "99999", "render.size_px"),
        ("OTOMO_COMPANION__PERSONA", "../../etc", "companion.persona"),
        ("OTOMO_COMPANION__TIMEZONE", "Europe/Atlantis", "companion.timezone"),
        ("OTOMO_COMPANION__TIMEZONE", "../../etc/passwd", "companion.timezone"),
        ("OTOMO_COMPANION__TIMEZONE", "", "companion.timezone"),
        ("OTOMO_TELEGRAM", "x", "OTOMO_TELEGRAM"),
        ("OTOMO_LLM__FALLBACKS", "[{]", "OTOMO_LLM"),
        ("OTOMO_LLM__FALLBACKS", '[{"provider": "openai", "temperature": 9}]', "llm.fallbacks.0.temperature"),
        ("OTOMO_SPENDING__PROMPT_PRICE", "-1", "spending.prompt_price"),
        ("OTOMO_STORAGE__KEY_FILE", "", "storage.key_file"),
    ],
)
def test_a_wrong_key_or_value_is_named_in_one_line(monkeypatch, name, value, named):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as error:
        load_settings()
    assert named in str(error.value)
    assert "\n" not in str(error.value)


def test_a_secret_is_never_part_of_the_complaint(monkeypatch, tmp_path):
    (tmp_path / "otomo.toml").write_text('[telegram]\ntoken = ["1:secret-token"]\n')
    with pytest.raises(ConfigError) as error:
        load_settings()
    assert "secret-token" not in str(error.value)
    assert "telegram.token" in str(error.value)


def test_a_broken_file_is_named_with_its_line(tmp_path):
    (tmp_path / "otomo.toml").write_text("[llm\nmodel = 1\n")
    with pytest.raises(ConfigError, match=r"otomo\.toml.*line 1"):
        load_settings()


def test_only_the_last_part_of_the_data_folder_is_made(monkeypatch, tmp_path):
    monkeypatch.setenv("OTOMO_DATA__DIR", str(tmp_path / "new"))
    assert ensure_data_dir(load_settings()).is_dir()
    monkeypatch.setenv("OTOMO_DATA__DIR", str(tmp_path / "missing" / "deeper"))
    with pytest.raises(ConfigError, match=r"data\.dir.*missing"):
        ensure_data_dir(load_settings())
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OTOMO_DATA__DIR", str(tmp_path / "file"))
    with pytest.raises(ConfigError, match=r"data\.dir.*not a folder"):
        ensure_data_dir(load_settings())


def test_settings_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        load_settings().llm.model = "x"


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("OTOMO_COMPANION__LANGUAGE", "xx", "companion.language"),
        ("OTOMO_RENDER__FIGURE", "nope", "render.figure"),
        ("OTOMO_RENDER__FIGURE", "/nowhere/her.vrm", "render.figure"),
        ("OTOMO_RENDER__ACTIONS", '["gretting"]', "render.actions"),
        ("OTOMO_RENDER__IDLES", '["sleep"]', "render.idles"),
    ],
)
async def test_a_name_with_nothing_behind_it_stops_the_start(monkeypatch, name, value, named):
    from bot.app import open_app

    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=named):
        async with open_app(load_settings()):
            pass
