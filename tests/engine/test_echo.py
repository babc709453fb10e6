"""A small model copied "They got a new job" from the examples when the user had said "ok"."""

import pytest

from engine.character import StateUpdates
from engine.echo import EXAMPLE_MEMORIES, without_echo
from engine.extraction import extraction_prompt
from engine.prompt_instructions import __file__ as instructions


@pytest.mark.parametrize(
    ("memory", "said", "kept"),
    [
        ("they got a new job", "ok", False),
        ("They got a new job.", "hello", False),
        ("They got a new job", "I got the job!!", True),
        ("Their father is in hospital", "My father fell", True),
        ("They grew up in Seattle and miss the rain", "They say hello", False),
        ("They have a sister", "ok", True),
    ],
)
def test_an_example_is_no_memory(memory, said, kept):
    updates = StateUpdates(trust_delta=1, new_memory=memory)
    assert without_echo(updates, said) == StateUpdates(trust_delta=1, new_memory=memory if kept else None)


def test_the_examples_are_those_of_the_prompts():
    with open(instructions, encoding="utf-8") as file:
        prompts = file.read() + extraction_prompt("a", "b")[0]
    assert all(example in prompts for example in EXAMPLE_MEMORIES)
