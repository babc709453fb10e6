"""The child process: it may hang, die or talk nonsense; the next request finds a sound one."""

import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from bot.children import Child, ChildLimits
from bot.errors import ChildDied, ChildRefused


@asynccontextmanager
async def a_child(**limits):
    child = Child("tests.odd_child", ChildLimits(**limits))
    try:
        yield child
    finally:
        await child.close()


async def test_a_child_answers_and_is_kept():
    async with a_child() as child:
        first, body = await child.ask("echo", b"\x00\xffbytes")
        second, _ = await child.ask("echo")
        assert body == b"\x00\xffbytes"
        assert first["pid"] == second["pid"] == child.pid


async def test_a_refusal_is_told_by_name_and_the_child_lives_on():
    async with a_child() as child:
        pid = (await child.ask("echo"))[0]["pid"]
        with pytest.raises(ChildRefused, match="no head") as refusal:
            await child.ask("refuse")
        assert refusal.value.kind == "VrmError"
        assert (await child.ask("echo"))[0]["pid"] == pid


@pytest.mark.parametrize("fault", ["hang", "die", "half", "garbage"])
async def test_a_broken_child_is_replaced(fault):
    async with a_child(request_s=1.0, start_s=10.0) as child:
        pid = (await child.ask("echo"))[0]["pid"]
        with pytest.raises(ChildDied):
            await child.ask(fault)
        assert (await child.ask("echo"))[0]["pid"] != pid
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_a_child_over_its_memory_ends_alone():
    async with a_child(memory_bytes=600 << 20) as child:
        with pytest.raises(ChildDied):
            await child.ask("grow")
        assert (await child.ask("echo"))[0]["ok"]


async def test_a_cancelled_request_never_answers_the_next_one():
    async with a_child() as child:
        await child.ask("echo")
        task = asyncio.create_task(child.ask("hang"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await child.ask("echo", b"mine"))[1] == b"mine"


async def test_an_idle_child_is_ended_and_a_worn_one_replaced():
    async with a_child(idle_s=0.2, requests=2) as child:
        pids = [(await child.ask("echo"))[0]["pid"] for _ in range(3)]
        assert pids[0] == pids[1] != pids[2]
        for _ in range(100):
            if child.pid is None:
                break
            await asyncio.sleep(0.05)
        assert child.pid is None
        assert (await child.ask("echo"))[0]["ok"]


async def test_a_child_sees_no_secret(monkeypatch):
    monkeypatch.setenv("TELEGRAM_TOKEN", "123:secret")
    monkeypatch.setenv("OTOMO_SECRET_KEY", "secret")
    async with a_child() as child:
        environment = (await child.ask("echo"))[0]["environment"]
        assert "secret" not in str(environment)
