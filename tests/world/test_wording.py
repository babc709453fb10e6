"""What a translator may get wrong is named at the start, not in the middle of a talk."""

import pytest

from bot.errors import ConfigError
from bot.wording import load_wording


def folder_with(tmp_path, dutch):
    (tmp_path / "en.toml").write_text('[emote]\nchoose = "One of {names}."\ndone = "Done."\n')
    (tmp_path / "nl.toml").write_text(dutch)
    return tmp_path


def test_a_missing_sentence_is_said_in_english(tmp_path):
    wording = load_wording(folder_with(tmp_path, '[emote]\nchoose = "Kies: {names}."\n'))
    assert wording.say("emote.choose", "nl", names="spin") == "Kies: spin."
    assert wording.say("emote.done", "nl") == "Done."


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Kies: {namen}.", r"nl\.toml: emote\.choose: nothing fills \{namen\}$"),
        ("Kies: {}.", r"nl\.toml: emote\.choose: nothing fills \{\}$"),
        ("Kies: {names.", r"nl\.toml: emote\.choose: "),
    ],
)
def test_a_blank_that_nothing_fills_is_named(tmp_path, sentence, reason):
    with pytest.raises(ConfigError, match=reason):
        load_wording(folder_with(tmp_path, f'[emote]\nchoose = "{sentence}"\n'))
