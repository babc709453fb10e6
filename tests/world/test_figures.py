"""Which figures there are, and what a user's choice comes to."""

from bot.figures import Figures, model_of
from bot.platforms.discord_network import DISCORD_LIMITS
from bot.platforms.telegram_settings import TELEGRAM_LIMITS
from render.figures import NAMES

SHIPPED = [f"default:{name}" for name in NAMES]


def folder_with(tmp_path, *names):
    folder = tmp_path / "avatars"
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(b"glTF")
    return folder


def test_shipped_figures_come_first_then_the_operators_files(tmp_path):
    folder = folder_with(tmp_path, "Zoe.vrm", "anna.vrm", "notes.txt")
    listed = Figures("default", folder).listed()
    assert [one.model for one in listed[:3]] == SHIPPED
    assert [one.label for one in listed[3:]] == ["Zoe", "anna"]


def test_the_usual_figure_is_listed_once_wherever_it_lies(tmp_path):
    folder = folder_with(tmp_path, "anna.vrm")
    outside = tmp_path / "mine.vrm"
    assert [one.id for one in Figures(str(outside), folder).listed()] == ["", *NAMES, "anna.vrm"]
    assert [one.id for one in Figures(str(folder / "anna.vrm"), folder).listed()] == [*NAMES, "anna.vrm"]


def test_a_word_or_a_buttons_token_means_a_figure(tmp_path):
    figures = Figures("default", folder_with(tmp_path, "Anna B.vrm", "ж" * 80 + ".vrm"))
    for one in figures.listed():
        assert figures.meant(one.token) == one
        assert figures.meant(one.label.upper()) == one
        assert len(f"avatar:{one.token}".encode()) <= TELEGRAM_LIMITS.button_data_bytes
        assert len(f"avatar:{one.token}") <= DISCORD_LIMITS.button_data_bytes
    assert figures.meant("nobody") is None
    assert figures.meant("../../etc/passwd") is None


def test_the_ladder_leads_from_the_choice_to_the_shipped_figure(tmp_path):
    folder = folder_with(tmp_path, "anna.vrm")
    usual = str(tmp_path / "mine.vrm")
    figures = Figures(usual, folder)
    assert figures.ladder("anna.vrm") == (str(folder / "anna.vrm"), usual, SHIPPED[0])
    (folder / "anna.vrm").unlink()
    assert figures.find("anna.vrm") is None
    assert figures.ladder("anna.vrm") == (usual, SHIPPED[0])
    assert figures.ladder("../mine.vrm") == (usual, SHIPPED[0])


def test_without_a_folder_there_are_the_shipped_ones(tmp_path):
    assert [one.model for one in Figures("ember", tmp_path / "nowhere").listed()] == SHIPPED
    assert model_of("default") == SHIPPED[0]


def own_file(root, owner, digest):
    path = root / str(owner) / f"{digest}.vrm"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"glTF")
    return path


def test_a_users_own_figures_are_nobody_elses(tmp_path):
    path = own_file(tmp_path, 7, "0123456789abcdef")
    name = f"own/7/{path.name}"
    figures = Figures("default", None, tmp_path)
    hers, his = figures.shown_to(7, {name: "Mine"}), figures.shown_to(8, {name: "Mine"})
    assert [one.label for one in hers.listed()[3:]] == ["Mine"]
    (own,) = hers.own()
    assert hers.find(name) == hers.meant("mine") == hers.meant(own.token) == own
    assert hers.ladder(name) == figures.ladder(name) == (str(path), SHIPPED[0])
    for others in (his, figures):
        assert [one.model for one in others.listed()] == SHIPPED
        assert others.find(name) is others.meant("mine") is others.meant(own.token) is None
    assert his.ladder(name) == (SHIPPED[0],)


def test_no_id_leads_out_of_the_folder_of_uploads(tmp_path):
    own_file(tmp_path / "avatars-of-users", 7, "0123456789abcdef")
    outside = own_file(tmp_path, 9, "0123456789abcdef")
    figures = Figures("default", None, tmp_path / "avatars-of-users")
    for one in (
        f"own/../9/{outside.name}",
        "own/7/../../9/0123456789abcdef.vrm",
        "own/٧/0123456789abcdef.vrm",
        "own/7/0123456789abcdef.vrm\n",
    ):
        assert figures.ladder(one) == (SHIPPED[0],)


def test_where_uploads_are_off_nobody_has_figures_of_their_own(tmp_path):
    path = own_file(tmp_path, 7, "0123456789abcdef")
    figures = Figures("default", None).shown_to(7, {})
    assert figures.own() == ()
    assert figures.ladder(f"own/7/{path.name}") == (SHIPPED[0],)
