"""/emote, /pose and /avatar as functions: what is offered, what a press means, what is remembered."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.backgrounds import Backgrounds
from bot.command_turn import _settings_after
from bot.commands import Context, answer_command, command_line
from bot.commands.booth import PARTS
from bot.commands.specs import command_specs
from bot.emotes import load_emotes
from bot.figures import Figures
from bot.looks import GATE, PHOTO_MODE, looks_of, settings_after
from bot.personas import load_persona
from bot.platforms.discord_network import DISCORD_LIMITS
from bot.platforms.telegram_settings import TELEGRAM_LIMITS
from bot.portraits import Portraits, PortraitSettings
from bot.ports import PANELS
from bot.voice import Voice
from bot.wording import load_wording
from engine.action_gate import ActionGate
from engine.conversation import Face, Incoming, Notice, Panel, Play
from render.figures import NAMES
from tests.people import NOON, a_character, an_address

CONFIG = Path(__file__).resolve().parents[2] / "config"
WORDING = load_wording(CONFIG / "wording")


@pytest.fixture
def her(tmp_path):
    settings = PortraitSettings("portrait", 64, tmp_path / "cache", 1000, 1.0)
    made = Portraits(settings, Figures("default", tmp_path / "avatars"), load_emotes(CONFIG / "emotes.toml"))
    made._known.learn(f"default:{NAMES[0]}", ("happy", "sad", "angry", "relaxed", "surprised"), "digest")
    return made


def ask(line, her, *, language="en", private=True, settings=None):
    context = Context(
        state=a_character(),
        face=Face("content", "relaxed", 0.25),
        stopped=False,
        told_ai=True,
        private=private,
        language=language,
        wording=WORDING,
        persona=load_persona(CONFIG / "personas", "otomo"),
        voice=Voice("none", ""),
        looks=looks_of(her, settings or {}, NOON, 1),
    )
    return answer_command(line, context)


def press(data, her, **more):
    pressed = Incoming("choice", "k", an_address(), data, NOON)
    return ask(command_line(pressed), her, **more)


def panels(answer):
    return [part for part in answer.reply if isinstance(part, Panel)]


def all_buttons(answer):
    return [button for panel in panels(answer) for button in panel.buttons]


def test_a_press_in_a_panel_is_a_command_and_a_scenes_choice_is_none():
    assert command_line(Incoming("choice", "k", an_address(), "emote:spin", NOON)) == "/emote spin"
    assert command_line(Incoming("choice", "k", an_address(), "s1f:0", NOON)) is None
    assert command_line(Incoming("message", "k", an_address(), "emote:spin", NOON)) is None
    assert command_line(Incoming("command", "k", an_address(), "/help", NOON)) == "/help"


def test_emote_plays_by_id_and_by_name_and_counts_for_the_gate(her):
    for line, language in (("/emote greeting", "en"), ("/emote wave", "en"), ("/emote Winken", "de")):
        answer = ask(line, her, language=language)
        assert answer.reply == (Play("greeting", Face("content", "relaxed", 0.25)),)
        assert answer.played == "greeting"
    changed = _settings_after(answer, looks_of(her, {}, NOON, 1), NOON)
    gate = looks_of(her, changed, NOON, 1).gate
    assert gate == ActionGate({"greeting": NOON.timestamp()}, NOON.timestamp())


def test_emote_without_a_name_offers_them_all(her):
    (panel,) = panels(ask("/emote", her))
    assert len(panel.buttons) == 7
    assert "peace sign" in panel.text
    for _, data in panel.buttons:
        assert press(data, her).played == data.removeprefix("emote:")


def test_an_unknown_emote_is_told_and_nothing_plays(her):
    answer = ask("/emote cartwheel", her)
    assert isinstance(answer.reply[0], Notice)
    assert "cartwheel" in answer.reply[0].text
    assert answer.played is None


def test_the_booth_remembers_every_choice_in_its_buttons(her):
    answer = ask("/pose", her)
    assert answer.photo_mode is True
    shot = {}
    for letter, value in (("p", "greeting"), ("e", "sad"), ("f", "full"), ("b", "night")):
        (ask_part,) = [data for _, data in all_buttons(answer) if data.endswith(f"?{letter}")]
        (chosen,) = [
            data
            for _, data in all_buttons(press(ask_part, her))
            if data.split()[list(PARTS).index(letter)].removeprefix("pose:") == value
        ]
        shot[letter] = value
        answer = press(chosen, her)
        assert answer.photo_mode is True
        assert panels(answer)[0].face is None
    take = all_buttons(answer)[-1][1]
    taken = press(take, her)
    (panel,) = panels(taken)
    face = panel.face
    assert (face.pose, face.emotion, face.framing, face.daytime) == ("greeting", "sad", "full", "night")
    assert (face.expression, face.flash) == ("sad", False)
    assert face.weight > 0.5
    assert taken.photo_mode is False
    assert press(take, her) == taken, "the same press works again"


@pytest.mark.parametrize(
    ("line", "language", "seen"),
    [
        ("/pose happy full", "en", (None, "happy", "full", "")),
        ("/pose full peace_sign", "en", ("peace_sign", "happy", "full", "")),
        ("/pose Winken traurig Nacht", "de", ("greeting", "sad", "bust", "night")),
        ("/pose sway neutral portrait studio", "en", ("sway", "neutral", "portrait", "")),
    ],
)
def test_the_booth_takes_words_in_any_order(her, line, language, seen):
    (panel,) = panels(ask(line, her, language=language))
    face = panel.face
    assert (face.pose, face.emotion, face.framing, face.daytime) == seen


def test_the_booth_knows_the_operators_pictures_and_nothing_behind_her(her, tmp_path):
    (tmp_path / "behind").mkdir()
    for name in ("beach.jpg", "Not This.png", "notes.txt", "studio.png"):
        (tmp_path / "behind" / name).write_bytes(b"x")
    her.backgrounds = Backgrounds(tmp_path / "behind")
    (panel,) = panels(ask("/pose happy beach", her))
    assert (panel.face.background, panel.face.daytime) == ("beach", "")
    assert her.backgrounds.asked("beach") == str(tmp_path / "behind" / "beach.jpg")
    assert her.backgrounds.asked("gone") == "mood"
    (panel,) = panels(ask("/pose happy transparent", her))
    assert panel.face.background == "transparent"
    offered = [data.split()[3] for _, data in all_buttons(ask("/pose plain happy bust studio ?b", her))]
    assert offered == ["studio", "morning", "day", "evening", "night", "transparent", "beach"]


def test_a_strange_word_in_the_booth_is_told_with_what_is_known(her):
    answer = ask("/pose happy blue", her)
    assert "blue" in answer.reply[0].text
    assert "evening" in answer.reply[0].text
    assert panels(answer)[0].face is None


def test_photo_mode_ends_with_the_picture_or_by_itself(her):
    opened = _settings_after(ask("/pose", her), looks_of(her, {}, NOON, 1), NOON)
    assert looks_of(her, opened, NOON, 1).photo_mode
    assert not looks_of(her, opened, NOON + timedelta(minutes=11), 1).photo_mode
    assert _settings_after(ask("/pose happy", her), looks_of(her, {}, NOON, 1), NOON) == {PHOTO_MODE: None}


def test_avatar_shows_each_figure_with_a_picture_and_a_button(her, tmp_path):
    (tmp_path / "avatars").mkdir()
    (tmp_path / "avatars" / "anna.vrm").write_bytes(b"glTF")
    shown = panels(ask("/avatar", her))
    assert [panel.face.figure for panel in shown] == [*NAMES, "anna.vrm"]
    assert shown[0].buttons == (), "what she wears needs no button"
    assert all(panel.buttons for panel in shown[1:])
    answer = press(shown[3].buttons[0][1], her)
    assert answer.avatar == "anna.vrm"
    assert panels(answer)[0].face.figure == "anna.vrm"
    (worn,) = [
        panel for panel in panels(ask("/avatar", her, settings={"avatar": "anna.vrm"})) if not panel.buttons
    ]
    assert worn.face.figure == "anna.vrm"


def test_many_figures_come_in_pages(her, tmp_path):
    (tmp_path / "avatars").mkdir()
    for number in range(8):
        (tmp_path / "avatars" / f"f{number}.vrm").write_bytes(b"glTF")
    seen, data = [], "avatar:?1"
    while data:
        page = panels(press(data, her))
        seen += [panel.face.figure for panel in page]
        data = next((data for _, data in page[-1].buttons if "?" in data), None)
    assert seen == [*NAMES, *(f"f{number}.vrm" for number in range(8))]
    assert panels(press("avatar:?99", her)) == []


def test_a_figure_is_chosen_by_name_and_the_unknown_is_told(her):
    assert ask("/avatar ember", her).avatar == "ember"
    answer = ask("/avatar nobody", her)
    assert answer.avatar is None
    assert "nobody" in answer.reply[0].text
    assert len(panels(answer)) == 3


def test_a_broken_figure_cannot_be_chosen(her, tmp_path):
    (tmp_path / "avatars").mkdir()
    (tmp_path / "avatars" / "torn.vrm").write_bytes(b"glTF")
    her._known.refuse(str(tmp_path / "avatars" / "torn.vrm"))
    answer = ask("/avatar torn", her)
    assert answer.avatar is None
    assert "torn" in answer.reply[0].text
    assert "torn.vrm" not in [panel.face.figure for panel in panels(ask("/avatar", her))]


def test_avatars_are_chosen_in_private(her):
    assert ask("/avatar ember", her, private=False).avatar is None


def test_a_vanished_figure_is_forgotten_with_a_word(her):
    looks = looks_of(her, {"avatar": "gone.vrm"}, NOON, 1)
    assert (looks.figure, looks.gone) == ("", True)
    assert settings_after(looks, None, NOON) == {"avatar": None}
    kept = looks_of(her, {"avatar": "ember"}, NOON, 1)
    assert (kept.figure, kept.gone) == ("ember", False)
    assert settings_after(kept, None, NOON) == {}


def test_a_figure_of_a_users_own_is_worn_in_private_only(tmp_path):
    name = "own/7/0123456789abcdef.vrm"
    path = tmp_path / "uploads" / name.removeprefix("own/")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"glTF")
    drawn = PortraitSettings("portrait", 64, tmp_path / "cache", 1000, 1.0)
    figures = Figures("default", None, tmp_path / "uploads")
    her = Portraits(drawn, figures, load_emotes(CONFIG / "emotes.toml"))
    chosen = {"avatar": name}
    assert looks_of(her, chosen, NOON, 7).figure == name
    in_a_group = looks_of(her, chosen, NOON, 7, private=False)
    assert (in_a_group.figure, in_a_group.gone) == ("", False)
    assert (looks_of(her, chosen, NOON, 8).figure, looks_of(her, chosen, NOON, 8).gone) == ("", True)


def test_the_gates_memory_keeps_only_what_can_still_hold_back(her):
    old = ActionGate({"spin": NOON.timestamp() - 100, "greeting": NOON.timestamp()}, NOON.timestamp())
    changed = settings_after(looks_of(her, {}, NOON, 1), old, NOON)
    assert changed[GATE]["each"] == {"greeting": NOON.timestamp()}
    assert looks_of(her, changed, NOON, 1).gate.last_any == NOON.timestamp()


def test_with_pictures_turned_off_nothing_is_offered(tmp_path):
    off = PortraitSettings("portrait", 64, tmp_path, 1000, 1.0, enabled=False)
    her = Portraits(off, Figures(), load_emotes(CONFIG / "emotes.toml"))
    for line in ("/emote", "/emote spin", "/pose", "/avatar"):
        answer = ask(line, her)
        assert answer.reply == (Notice(WORDING.say("face.off", "en")),)
        assert answer.played is None
    assert looks_of(her, {}, NOON, 1).actions == ()


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_button_fits_both_messengers_and_leads_somewhere(her, language):
    lines = [
        "/emote",
        "/pose",
        "/avatar",
        *(f"/pose show_full_body affectionate portrait transparent ?{p}" for p in PARTS),
    ]
    for line in lines:
        for panel in panels(ask(line, her, language=language)):
            assert len(panel.buttons) <= 25
            for label, data in panel.buttons:
                assert data.startswith(PANELS)
                assert 0 < len(label) <= min(DISCORD_LIMITS.button_label, TELEGRAM_LIMITS.button_label)
                assert len(data.encode()) <= TELEGRAM_LIMITS.button_data_bytes
                assert panels(press(data, her)) or press(data, her).played


def test_options_are_announced_within_discords_limits(her):
    specs = {
        spec.name: spec
        for spec in command_specs(
            ("emote", "pose", "avatar", "help"),
            lambda key: WORDING.say(key, "de"),
            her.emotes,
            her.backgrounds,
        )
    }
    assert [option.name for option in specs["pose"].options] == [
        "pose",
        "expression",
        "framing",
        "background",
    ]
    assert specs["help"].options == ()
    for spec in specs.values():
        assert 1 <= len(spec.description) <= 100
        for option in spec.options:
            assert len(option.choices) <= 25
            assert 1 <= len(option.description) <= 100
