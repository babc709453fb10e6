"""From settings to a voice: presets, discovery, fallbacks, and errors of one line."""

import asyncio
from dataclasses import replace

import pytest
from pydantic import SecretStr

import bot.llm as llm
from bot.errors import ConfigError, ModelBusy, ModelFiltered, ModelUnreachable
from bot.llm import LlmSettings, make_model
from bot.llm.discover import Installed, choose, discover, guessed_bytes, ollama_address
from bot.llm.fallback import FallbackModel
from bot.llm.openai_style import OpenAiStyle
from bot.llm.presets import PRESETS
from bot.llm.settings import clean_base_url
from tests.llm.conversation_pieces import a_request, quick, said
from tests.model_server import Answer, ModelServer

GIB = 1024**3
TAGS = [
    {"name": "nomic-embed-text:latest", "size": 300_000_000, "details": {"family": "nomic-bert"}},
    {"name": "llama3.2:3b", "size": 2 * GIB, "details": {"family": "llama", "parameter_size": "3.2B"}},
    {"name": "mistral-nemo:12b", "size": 7 * GIB, "details": {"family": "llama", "parameter_size": "12.2B"}},
    {"name": "llama3.3:70b", "size": 40 * GIB, "details": {"family": "llama", "parameter_size": "70B"}},
    {"name": "gpt-oss:120b-cloud", "size": 384, "remote_host": "https://elsewhere", "details": {}},
    {"name": "qwen2.5-coder:14b", "size": 9 * GIB, "details": {"family": "qwen2"}},
]
LMSTUDIO = [
    {"id": "text-embedding-nomic", "type": "embeddings", "state": "not-loaded"},
    {"id": "mistral-nemo-12b-instruct", "type": "llm", "state": "not-loaded"},
    {"id": "gemma-3-27b-it", "type": "vlm", "state": "loaded"},
]
NOWHERE = "http://127.0.0.1:9"


async def test_finds_the_largest_chat_model_that_fits_at_ollama():
    async with ModelServer(ollama=TAGS) as server:
        found = await discover(LlmSettings(), server.root, NOWHERE, memory_bytes=16 * GIB)
        assert found is not None
        assert (found.settings.provider, found.settings.model) == ("ollama", "mistral-nemo:12b")
        assert found.settings.base_url == server.url
        assert "mistral-nemo:12b" in found.line
        assert "\n" not in found.line
        model = await make_model(found.settings)
        assert await said(model, a_request("hi")) == "Hello."
        await model.close()
        big = await discover(LlmSettings(), server.root, NOWHERE, memory_bytes=128 * GIB)
        assert big is not None
        assert big.settings.model == "llama3.3:70b"
        assert await discover(LlmSettings(), server.root, NOWHERE, memory_bytes=1 * GIB) is None


async def test_a_loaded_model_of_lm_studio_counts_as_fitting():
    async with ModelServer(lmstudio=LMSTUDIO) as server:
        found = await discover(LlmSettings(), NOWHERE, server.root, memory_bytes=8 * GIB)
    assert found is not None
    assert (found.settings.provider, found.settings.model) == ("lmstudio", "gemma-3-27b-it")


async def test_nothing_there_is_found_out_quickly():
    async with asyncio.timeout(10):  # the bar is 1 s; a watchdog of ten times that
        assert await discover(LlmSettings(), NOWHERE, NOWHERE) is None


async def test_auto_takes_the_stand_in_where_nothing_is_found(monkeypatch):
    async def nothing(settings):
        return None

    monkeypatch.setattr(llm, "discover", nothing)
    model = await make_model(LlmSettings())
    assert model.name == "offline stand-in"


@pytest.mark.parametrize(
    ("name", "billions"),
    [("qwen2.5:7b", 7), ("mixtral-8x7b-instruct", 56), ("smollm2-360m", 0.36), ("phi-4", 0), ("3.2B", 3.2)],
)
def test_a_size_is_guessed_from_the_name(name, billions):
    assert guessed_bytes(name) == pytest.approx(billions * 0.65e9, rel=0.01)


def test_no_model_fits_is_no_choice():
    assert choose([Installed("big", 10)], 5) is None
    assert choose([], 5) is None


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("box:9000", "http://box:9000"),
        ("https://box:443/", "https://box:443"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(host, address):
    assert ollama_address({"OLLAMA_HOST": host}) == address


@pytest.mark.parametrize(
    ("url", "style", "clean"),
    [
        ("http://box:8080", "openai", "http://box:8080/v1"),
        ("http://box:8080/v1/", "openai", "http://box:8080/v1"),
        ("https://host/api/v1/chat/completions", "openai", "https://host/api/v1"),
        ("https://api.anthropic.com/v1/messages", "anthropic", "https://api.anthropic.com"),
    ],
)
def test_a_pasted_address_is_brought_into_form(url, style, clean):
    assert clean_base_url(url, style) == clean


@pytest.mark.parametrize("provider", [name for name, preset in PRESETS.items() if not preset.local])
async def test_a_key_and_a_model_name_are_enough(provider):
    model = await make_model(LlmSettings(provider=provider, model="some-model", api_key=SecretStr("k")))
    assert model.name == f"some-model ({PRESETS[provider].who})"
    await model.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (LlmSettings(provider="openia"), "llm.provider: 'openia'"),
        (LlmSettings(provider="openai", model="m"), "llm.api_key: OpenAI needs a key"),
        (LlmSettings(provider="xai", api_key=SecretStr("k")), "llm.model: name a model of xAI"),
        (LlmSettings(provider="custom", model="m"), "llm.base_url: name the address"),
        (LlmSettings(provider="custom", model="m", base_url="box:80"), "llm.base_url: must begin with http"),
        (
            LlmSettings(provider="custom", model="m", base_url="http://[::1"),
            "llm.base_url: must begin with http",
        ),
        (LlmSettings(provider="vllm", base_url=NOWHERE), "offers no chat model"),
    ],
)
async def test_wrong_settings_end_with_one_line(settings, words):
    with pytest.raises(ConfigError, match=words) as caught:
        await make_model(settings)
    assert "\n" not in str(caught.value)


async def test_a_local_server_names_its_model():
    lines = []
    async with ModelServer(models=["bge-small", "tiny-chat"], replies=["Hi."]) as server:
        model = await make_model(LlmSettings(provider="llamacpp", base_url=server.root), lines.append)
        assert await said(model, a_request("hi")) == "Hi."
        await model.close()
    assert lines == ["She speaks through tiny-chat (llama.cpp)."]


async def test_the_next_voice_speaks_when_one_fails():
    async with ModelServer(replies=[Answer(status=401)]) as bad, ModelServer(replies=["Second."]) as good:
        first = quick(bad.url, model="one", retries=2, fallbacks=(quick(good.url, model="two"),))
        model = await make_model(first)
        assert isinstance(model, FallbackModel)
        assert model.name == "one (the model server)"
        assert await said(model, a_request("hi")) == "Second."
        # The one that failed rests: the next turn does not wait for it.
        assert await said(model, a_request("hi")) == "Second."
        assert await model.complete_json("system", "user") == "Second."
        await model.close()
    assert (len(bad.requests), len(good.requests)) == (1, 3)


async def test_a_break_after_the_first_word_is_not_spoken_over():
    async with ModelServer(replies=[Answer("Half a", fault="drop", after=6)]) as bad, ModelServer() as good:
        model = await make_model(quick(bad.url, fallbacks=(quick(good.url),)))
        assert await said(model, a_request("hi")) == "Half a"
        await model.close()
    assert not good.requests


async def test_a_filtered_talk_is_not_carried_on():
    async with ModelServer(replies=[Answer(fault="filtered")]) as bad, ModelServer() as good:
        model = await make_model(quick(bad.url, fallbacks=(quick(good.url),)))
        with pytest.raises(ModelFiltered):
            await said(model, a_request("hi"))
        await model.close()
    assert not good.requests


async def test_the_last_error_is_told_when_all_fail():
    async with (
        ModelServer(replies=[Answer(status=500)]) as one,
        ModelServer(replies=[Answer(status=429)]) as two,
    ):
        model = await make_model(quick(one.url, fallbacks=(quick(two.url),)))
        with pytest.raises(ModelBusy):
            await said(model, a_request("hi"))
        with pytest.raises((ModelBusy, ModelUnreachable)):
            await model.complete_json("system", "user")
        await model.close()


async def test_all_voices_together_keep_the_limit_of_a_turn():
    slow = Answer(fault="hang")
    async with ModelServer(replies=[slow]) as one, ModelServer(replies=[slow]) as two:
        patient = quick(one.url, silence_s=30.0, turn_s=0.6)
        model = await make_model(replace(patient, fallbacks=(quick(two.url, silence_s=30.0, turn_s=30.0),)))
        async with asyncio.timeout(10):
            with pytest.raises(Exception, match="in time") as caught:
                await said(model, a_request("hi"))
        await model.close()
    assert type(caught.value).__name__ == "ModelSilent"


async def test_a_custom_parameter_name_for_the_limit():
    async with ModelServer() as server:
        model = OpenAiStyle(quick(server.url), "OpenAI", PRESETS["openai"].tokens_name)
        await said(model, a_request("hi"))
        await model.close()
    assert "max_tokens" not in server.requests[0].body
    assert server.requests[0].body["max_completion_tokens"] == 1024
