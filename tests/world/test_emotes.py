"""Her animations: the built-in ones, and the operator's files with the words beside them."""

from pathlib import Path

import pytest

from bot.emotes import load_emotes
from bot.errors import ChildRefused, ConfigError
from render import emotes as clips

CONFIG = Path(__file__).resolve().parents[2] / "config" / "emotes.toml"


class Loader:
    """Stands in for the child: refuses what it is told to, and notes what it has parsed."""

    def __init__(self, *broken: str) -> None:
        self.broken, self.parsed = broken, []

    async def check(self, path: str) -> None:
        self.parsed.append(Path(path).name)
        if Path(path).name in self.broken:
            raise ChildRefused("VrmError", "the file is too short")


def put(folder, name, words=None):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.vrma").write_bytes(b"glTF")
    if words is not None:
        (folder / f"{name}.toml").write_text(words)


def test_every_clip_that_is_written_by_code_has_words_and_no_other():
    emotes = load_emotes(CONFIG)
    assert {one.id for one in emotes.built_in} == set(clips.EMOTES)
    assert {one.id for one in emotes.idles} == set(clips.IDLES)
    assert all(one.description and one.names["de"] for one in emotes.built_in)


@pytest.mark.parametrize("word", ["peace_sign", "peace sign", "Peace-Zeichen", "PEACE SIGN"])
def test_a_word_means_an_emote_in_any_spelling_and_language(word):
    assert load_emotes(CONFIG).find(word).id == "peace_sign"


def test_an_unknown_word_means_nothing():
    assert load_emotes(CONFIG).find("cartwheel") is None


def test_the_operator_can_keep_emotes_from_her_but_not_from_people():
    emotes = load_emotes(CONFIG, ("spin", "no_such"))
    assert [name for name, _ in emotes.for_her()] == ["spin"]
    assert emotes.find("wave") is not None
    assert load_emotes(CONFIG, ()).for_her() == ()


async def test_the_operators_files_are_parsed_and_described(tmp_path):
    folder = tmp_path / "emotes"
    put(
        folder,
        "bow",
        'name = { en = "bow", de = "verbeugen" }\ndescription = "bow politely"\nframing = "bust"\n',
    )
    put(folder, "secret", 'name = "secret"\ndescription = "no"\ncompanion_can_use = false\n')
    put(folder, "wordless")
    loader = Loader()
    emotes = load_emotes(CONFIG, "all", folder)
    assert await emotes.look(loader.check) == []
    assert loader.parsed == ["bow.vrma", "secret.vrma", "wordless.vrma"]
    assert ("bow", "bow politely") in emotes.for_her()
    assert {"secret", "wordless"}.isdisjoint(name for name, _ in emotes.for_her())
    bow = emotes.find("verbeugen")
    assert (bow.framing, bow.play) == ("bust", str(folder / "bow.vrma"))
    assert emotes.find("secret")
    assert emotes.find("wordless")


async def test_wrong_files_are_named_and_left_out(tmp_path):
    folder = tmp_path / "emotes"
    put(folder, "good", 'name = "good"\n')
    put(folder, "broken", 'name = "broken"\n')
    put(folder, "Bad Name")
    put(folder, "spin")
    put(folder, "odd", 'name = "odd"\ncolour = "red"\n')
    put(folder, "torn", "name = ")
    loader = Loader("broken.vrma")
    emotes = load_emotes(CONFIG, "all", folder)
    complaints = await emotes.look(loader.check)
    assert [line.split(":")[0] for line in complaints] == [
        "Bad Name.vrma",
        "broken.vrma",
        "odd.vrma",
        "spin.vrma",
        "torn.vrma",
    ]
    assert "too short" in complaints[1]
    assert "colour" in complaints[2]
    assert [one.id for one in emotes.all() if one not in emotes.built_in] == ["good"]
    assert emotes.find("spin").play == "spin"


async def test_a_file_that_vanishes_drops_out_and_a_missing_folder_is_empty(tmp_path):
    folder = tmp_path / "emotes"
    put(folder, "bow", 'name = "bow"\ndescription = "bow"\n')
    emotes = load_emotes(CONFIG, "all", folder)
    await emotes.look(Loader().check)
    assert emotes.find("bow")
    (folder / "bow.vrma").unlink()
    assert emotes.find("bow") is None
    assert await load_emotes(CONFIG, "all", tmp_path / "nowhere").look(Loader().check) == []


def test_a_wrong_configuration_is_named(tmp_path):
    wrong = tmp_path / "emotes.toml"
    wrong.write_text('[emotes.spin]\nname = "spin"\nspeed = 3\n[idles]\n')
    with pytest.raises(ConfigError, match="speed"):
        load_emotes(wrong)
    with pytest.raises(ConfigError, match=r"nowhere\.toml"):
        load_emotes(tmp_path / "nowhere.toml")
