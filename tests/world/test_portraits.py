"""Her pictures with the real drawing child: figures, loops, the cache, and every rung of the ladder."""

import io
import os
import shutil
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import av
import pytest
from PIL import Image

from bot.backgrounds import Backgrounds
from bot.children import Child
from bot.emotes import load_emotes
from bot.errors import ChildRefused
from bot.figures import Figures
from bot.portraits import Portraits, PortraitSettings
from engine.character import EMOTIONS
from engine.conversation import Face
from render.errors import NoGraphicsError
from render.figures import build
from render.gl.context import choose_backend

CONFIG = Path(__file__).resolve().parents[2] / "config" / "emotes.toml"
JOY = Face("happy", "happy", 0.5)


def can_draw():
    try:
        choose_backend()
    except NoGraphicsError:
        return False
    return True


needs_gl = pytest.mark.skipif(not can_draw(), reason="no OpenGL library works here")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """One cache for all tests: building a figure takes seconds."""
    return tmp_path_factory.mktemp("cache")


@asynccontextmanager
async def portraits(cache, folder=None, figure="default", **settings):
    drawn = PortraitSettings(
        **{
            "framing": "portrait",
            "size_px": 64,
            "cache": cache,
            "cache_bytes": 1 << 24,
            "timeout_s": 100.0,
            "loop_size_px": 64,
        }
        | settings
    )
    emotes = load_emotes(CONFIG, "all", folder / "emotes" if folder else None)
    made = Portraits(drawn, Figures(figure, folder / "avatars" if folder else None), emotes)
    try:
        yield made
    finally:
        await made.close()


class DyingChild(Child):
    """A real child that dies of whatever it is asked."""

    asked = 0

    async def ask(self, do, body=b"", **arguments):
        DyingChild.asked += 1
        return await super().ask("die")


def size(picture):
    with Image.open(io.BytesIO(picture.data)) as image:
        image.load()
        return image.format, image.size


@needs_gl
async def test_a_face_is_drawn_once_and_then_kept(cache):
    async with portraits(cache) as her:
        await her.warm()
        assert "happy" in her.expressions()
        drawn = await her.picture(JOY)
        assert size(drawn) == ("JPEG", (64, 64))
        assert her.cached(JOY) == drawn
        assert her.cached(Face("sad", "sad", 0.625)) is None


@needs_gl
async def test_pose_figure_framing_and_light_make_other_pictures(cache):
    async with portraits(cache) as her:
        faces = [
            JOY,
            Face("happy", "happy", 0.5, pose="greeting"),
            Face("happy", "happy", 0.5, figure="ember"),
            Face("happy", "happy", 0.5, framing="full"),
            Face("happy", "happy", 0.5, daytime="night"),
        ]
        pictures = [(await her.picture(face)).data for face in faces]
        assert len(set(pictures)) == len(faces)


@needs_gl
async def test_behind_her_stands_a_picture_or_nothing_and_a_broken_one_is_left_out(cache, tmp_path):
    Image.new("RGB", (80, 60), (250, 10, 10)).save(tmp_path / "red.png")
    (tmp_path / "torn.png").write_bytes(b"\x89PNG")
    async with portraits(cache) as her:
        her.backgrounds = Backgrounds(tmp_path)
        before = await her.picture(replace(JOY, background="red"))
        with Image.open(io.BytesIO(before.data)) as image:
            assert image.getpixel((2, 2))[0] > 200 > 60 > image.getpixel((2, 2))[1]
        alone = await her.picture(replace(JOY, background="transparent"))
        assert alone.mime == "image/webp"
        with Image.open(io.BytesIO(alone.data)) as image:
            assert image.convert("RGBA").getpixel((2, 2))[3] == 0
        usual = await her.picture(JOY)
        assert (await her.picture(replace(JOY, background="torn"))).data == usual.data
        assert (await her.picture(replace(JOY, background="gone"))).data == usual.data


@needs_gl
async def test_a_loop_is_made_in_both_kinds_and_kept(cache):
    async with portraits(cache) as her:
        film = await her.loop(JOY, "spin", "mp4")
        assert (film.mime, film.name[-4:]) == ("video/mp4", ".mp4")
        with av.open(io.BytesIO(film.data)) as played:
            stream = played.streams.video[0]
            assert (stream.codec_context.name, stream.width) == ("h264", 64)
            assert sum(1 for _ in played.decode(stream)) == 33
        webp = await her.loop(JOY, "spin", "webp")
        with Image.open(io.BytesIO(webp.data)) as played:
            assert (played.format, played.n_frames) == ("WEBP", 33)
        assert her.cached_loop(JOY, "spin", "mp4") == film
        assert her.cached_loop(JOY, "spin", "webp") == webp
        assert her.cached_loop(JOY, "squat", "mp4") is None


async def test_an_unknown_animation_gives_no_loop(cache):
    async with portraits(cache) as her:
        assert await her.loop(JOY, "cartwheel", "mp4") is None
        assert her.cached_loop(JOY, "cartwheel", "mp4") is None


@needs_gl
async def test_the_operators_animations_are_parsed_by_the_child_and_played(cache, tmp_path):
    models = Path(os.environ.get("OTOMO_TEST_AVATARS", Path(__file__).parents[3] / "shared" / "models"))
    if not (models / "test.vrma").is_file():
        pytest.skip("no folder of test avatars: set OTOMO_TEST_AVATARS")
    folder = tmp_path / "emotes"
    folder.mkdir()
    shutil.copy(models / "test.vrma", folder / "bow.vrma")
    (folder / "bow.toml").write_text('name = "bow"\ndescription = "bow politely"\n')
    (folder / "broken.vrma").write_bytes(b"glTF" + bytes(60))
    async with portraits(cache, tmp_path) as her:
        await her.warm()
        assert ("bow", "bow politely") in her.emotes.for_her()
        assert her.emotes.find("broken") is None
        assert await her.loop(JOY, "bow", "webp") is not None
        with pytest.raises(ChildRefused):
            await her.check_clip(str(folder / "broken.vrma"))


@needs_gl
async def test_a_users_own_figure_is_learnt_and_remembered_over_a_restart(cache, tmp_path):
    (tmp_path / "avatars").mkdir()
    (tmp_path / "avatars" / "anna.vrm").write_bytes(build("slate"))
    face = Face("happy", "happy", 0.5, figure="anna.vrm")
    async with portraits(cache, tmp_path) as her:
        await her.warm()
        slate = await her.picture(Face("happy", "happy", 0.5, figure="slate"))
        assert (await her.picture(face)).data == slate.data
    async with portraits(cache, tmp_path) as again:
        assert "happy" in again.expressions("anna.vrm")
        assert again.cached(face) is not None


@needs_gl
async def test_a_broken_or_vanished_figure_gives_way_to_the_usual_one(cache, tmp_path):
    (tmp_path / "avatars").mkdir()
    (tmp_path / "avatars" / "torn.vrm").write_bytes(b"glTF" + bytes(100))
    async with portraits(cache, tmp_path) as her:
        usual = (await her.picture(JOY)).data
        torn = her.figures.find("torn.vrm")
        assert her.can_wear(torn)
        assert (await her.picture(Face("happy", "happy", 0.5, figure="torn.vrm"))).data == usual
        assert not her.can_wear(torn)
        assert (await her.picture(Face("happy", "happy", 0.5, figure="gone.vrm"))).data == usual
    async with portraits(cache, tmp_path, figure=str(tmp_path / "avatars" / "torn.vrm")) as her:
        assert (await her.picture(JOY)).data == usual


async def test_a_child_that_cannot_draw_still_shows_the_shipped_stills(tmp_path, monkeypatch):
    monkeypatch.setenv("OTOMO_GL_BACKEND", "none")
    async with portraits(tmp_path) as her:
        stills = [await her.picture(Face(emotion)) for emotion in EMOTIONS]
        assert {size(still) for still in stills} == {("JPEG", (512, 512))}
        assert len({still.data for still in stills}) == len(EMOTIONS)
        assert await her.loop(JOY, "spin", "mp4") is None


async def test_a_worker_that_dies_shows_the_shipped_still_and_is_left_alone_for_a_while(tmp_path):
    async with portraits(tmp_path) as her:
        her._child = child = DyingChild("tests.odd_child")
        assert size(await her.picture(JOY)) == ("JPEG", (512, 512))
        assert size(await her.picture(Face("sad"))) == ("JPEG", (512, 512))
        assert child.asked == 1


async def test_turned_off_she_shows_nothing(tmp_path):
    async with portraits(tmp_path, enabled=False) as her:
        await her.warm()
        assert await her.ready(0.1)
        assert her.expressions() == ()
        assert await her.picture(JOY) is None
        assert await her.loop(JOY, "spin", "mp4") is None


async def test_the_oldest_pictures_are_dropped(tmp_path):
    async with portraits(tmp_path, cache_bytes=250) as her:
        folder = tmp_path / "faces"
        folder.mkdir()
        for number in range(5):
            (folder / f"{number}.jpg").write_bytes(bytes(100))
            os.utime(folder / f"{number}.jpg", (number, number))
        await her.prune()
        assert sorted(path.name for path in folder.iterdir()) == ["3.jpg", "4.jpg"]
