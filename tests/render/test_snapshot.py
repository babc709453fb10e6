from __future__ import annotations

import io
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from render.errors import BadRequestError, VrmError
from render.snapshot import SnapshotRequest, Studio, cache_key
from tests.render import doll


def picture(studio: Studio, request: SnapshotRequest) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(studio.snapshot(request))))


def plain(model: str, **changes: object) -> SnapshotRequest:
    request = SnapshotRequest(model, size_px=128, background="transparent")
    return replace(request, **changes)  # type: ignore[arg-type]


def test_she_is_drawn_in_her_colours(studio: Studio, doll_file: str) -> None:
    shown = picture(studio, plain(doll_file))
    assert shown.shape == (128, 128, 4)
    assert shown[0, 0].tolist() == [0, 0, 0, 0]
    face = shown[60, 64]
    assert face[3] == 255
    # 0.9, 0.6, 0.5 in linear light are 243, 203, 188 in sRGB.
    assert np.abs(face[:3].astype(int) - (243, 203, 188)).max() <= 3


@pytest.mark.parametrize(("format_", "name"), [("png", "PNG"), ("webp", "WEBP"), ("jpeg", "JPEG")])
def test_formats(studio: Studio, doll_file: str, format_: str, name: str) -> None:
    data = studio.snapshot(plain(doll_file, format=format_, background="mood"))
    with Image.open(io.BytesIO(data)) as image:
        assert (image.format, image.size) == (name, (128, 128))


def test_a_picture_is_the_same_every_time(studio: Studio, doll_file: str) -> None:
    request = plain(doll_file, expression="happy", weight=0.6, background="mood")
    first = studio.snapshot(request)
    studio.snapshot(replace(request, emotion="sad", framing="full"))
    assert studio.snapshot(request) == first


def test_an_expression_changes_the_picture_and_rests_again(studio: Studio, doll_file: str) -> None:
    rest = picture(studio, plain(doll_file))
    smile = picture(studio, plain(doll_file, expression="happy", weight=1.0))
    blush = picture(studio, plain(doll_file, expression="shy", weight=1.0))
    assert np.abs(smile.astype(int) - rest).max() > 100
    assert blush[60, 64, 1] < rest[60, 64, 1] - 60
    assert (picture(studio, plain(doll_file)) == rest).all()


def test_an_unknown_expression_is_the_face_at_rest(studio: Studio, doll_file: str) -> None:
    rest = picture(studio, plain(doll_file))
    assert (picture(studio, plain(doll_file, expression="smug", weight=1.0)) == rest).all()


def test_weights_are_drawn_in_eighths() -> None:
    assert [SnapshotRequest("x", "happy", w).shown_weight for w in (0.0, 0.01, 0.3, 0.6, 1.0)] == [
        0.0,
        0.125,
        0.25,
        0.625,
        1.0,
    ]
    assert SnapshotRequest("x", None, 0.7).shown_weight == 0.0


def test_edges_are_smooth_and_without_fringe(studio: Studio, doll_file: str) -> None:
    shown = picture(studio, plain(doll_file, framing="full", emotion="playful")).astype(int)
    edge = shown[(shown[..., 3] > 20) & (shown[..., 3] < 235)]
    assert len(edge) > 20
    # Straight colours of half-covered pixels are still her colours, not lightened ones.
    brightest = shown[shown[..., 3] == 255][:, :3].max(axis=0)
    assert (edge[:, :3] <= brightest + 3).all()


def test_background_follows_mood_and_hour(studio: Studio, doll_file: str) -> None:
    corners = {
        (emotion, daytime): tuple(
            picture(studio, plain(doll_file, background="mood", emotion=emotion, daytime=daytime))[2, 2]
        )
        for emotion in ("happy", "sad")
        for daytime in (None, "morning", "evening", "night")
    }
    assert len(set(corners.values())) == len(corners)
    assert sum(map(int, corners["happy", "night"])) < sum(map(int, corners["happy", "morning"]))


def test_a_picture_of_the_operator_is_the_background(studio: Studio, doll_file: str, tmp_path: Path) -> None:
    path = tmp_path / "room.png"
    Image.new("RGB", (300, 200), (10, 200, 30)).save(path)
    request = plain(doll_file, background=str(path))
    assert picture(studio, request)[1, 1].tolist() == [10, 200, 30]
    before = cache_key(request, "m")
    Image.new("RGB", (30, 20), (200, 10, 30)).save(path)
    assert cache_key(request, "m") != before


@pytest.mark.parametrize("content", [None, b"no picture"])
def test_a_missing_or_broken_background_is_told(
    studio: Studio, doll_file: str, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "room.png"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadRequestError, match=r"room\.png"):
        studio.snapshot(plain(doll_file, background=str(path)))


@pytest.mark.parametrize(
    "changes",
    [
        {"size_px": 8},
        {"size_px": 4000},
        {"weight": 1.5},
        {"weight": float("nan")},
        {"framing": "close"},
        {"format": "gif"},
        {"daytime": "noon"},
    ],
)
def test_values_out_of_range_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(BadRequestError):
        plain("x", **changes)


def test_requests_cross_the_wire() -> None:
    request = plain("x", expression="happy", weight=0.4)
    assert SnapshotRequest.from_wire(request.to_wire() | {"do": "snapshot"}) == request
    for broken in ({}, {"model": "x", "size_px": "big"}, {"model": "x", "weight": None}, {"model": 5}):
        with pytest.raises(BadRequestError):
            SnapshotRequest.from_wire(broken)


def test_cache_keys_tell_apart_what_looks_different() -> None:
    base = plain("x", expression="happy", weight=0.5)
    different = [
        base,
        replace(base, weight=0.9),
        replace(base, expression="sad"),
        replace(base, emotion="sad"),
        replace(base, framing="bust"),
        replace(base, size_px=64),
        replace(base, format="jpeg"),
        replace(base, daytime="night"),
    ]
    assert len({cache_key(r, "m") for r in different}) == len(different)
    assert cache_key(base, "m") == cache_key(replace(base, weight=0.52, model="y"), "m")
    assert cache_key(base, "m") != cache_key(base, "n")
    assert cache_key(replace(base, weight=0.0), "m") == cache_key(
        replace(base, weight=0.0, expression=None), "m"
    )


def test_a_changed_file_is_read_again(studio: Studio, tmp_path: Path) -> None:
    path = tmp_path / "doll.vrm"
    path.write_bytes(doll.glb(*doll.vrm1()))
    assert studio.expressions(str(path)) == ("happy", "shy")
    path.write_bytes(doll.glb(*doll.vrm1(expressions={})))
    assert studio.expressions(str(path)) == ()


def test_many_models_in_turn(studio: Studio, tmp_path: Path) -> None:
    for number in range(6):
        doc, writer = doll.vrm1()
        doc["materials"][1]["pbrMetallicRoughness"]["baseColorFactor"] = [0.0, number / 5, 0.0, 1.0]
        path = tmp_path / f"{number}.vrm"
        path.write_bytes(doll.glb(doc, writer))
    greens = [int(picture(studio, plain(str(tmp_path / f"{n}.vrm")))[60, 64, 1]) for n in range(6)]
    assert greens == sorted(set(greens))


def test_missing_and_broken_models_are_told(studio: Studio, tmp_path: Path) -> None:
    with pytest.raises(BadRequestError, match=r"nobody\.vrm"):
        studio.snapshot(plain(str(tmp_path / "nobody.vrm")))
    with pytest.raises(BadRequestError, match="figure"):
        studio.snapshot(plain("default:nobody"))
    broken = tmp_path / "broken.vrm"
    broken.write_bytes(b"glTF" + bytes(100))
    with pytest.raises(VrmError):
        studio.snapshot(plain(str(broken)))


@pytest.mark.parametrize(
    "name",
    ["VRMC_vrm_expressions_isBinary_Overridden.vrm", "VRMC_vrm_expressions_isBinary_Overrides.vrm"],
)
@pytest.mark.parametrize("happy", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("blink", [0.0, 0.3, 0.8])
def test_the_binary_samples_show_all_their_check_marks(
    studio: Studio, avatars: Path, name: str, happy: float, blink: float
) -> None:
    """The sample paints itself green with marks where the rules are kept and red where they are not."""
    path = avatars / name
    model = studio._sitter(str(path)).model
    drawn = _drawn(studio, str(path), {"happy": happy, "blink": blink}).astype(int)
    red = (drawn[..., 0] > 150) & (drawn[..., 1] < 80)
    green = (drawn[..., 1] > 100) & (drawn[..., 0] < 80)
    assert model.available == ("happy", "blink")
    assert green.mean() > 0.1
    assert red.mean() < 0.01


def _drawn(studio: Studio, path: str, weights: dict[str, float]) -> np.ndarray:
    from render import framing
    from render.lighting import LIGHTS

    sitter = studio._sitter(path)
    model = sitter.model
    camera = framing.camera(sitter.measures, "full")
    return studio._open().draw(model, model.rest_world, model.resolve(weights), camera, LIGHTS[None], 256)


def test_every_avatar_is_drawn(studio: Studio, avatars: Path) -> None:
    for path in sorted(avatars.glob("*.vrm")):
        shown = picture(studio, plain(str(path), framing="full"))
        covered = (shown[..., 3] > 128).mean()
        assert 0.02 < covered < 0.95, path.name


def test_a_real_face_shows_its_expressions(studio: Studio, avatars: Path) -> None:
    model = str(avatars / "Godette_vrm_v4.vrm")
    rest = picture(studio, plain(model)).astype(int)
    for expression in ("happy", "angry", "sad", "relaxed", "blink"):
        shown = picture(studio, plain(model, expression=expression, weight=1.0)).astype(int)
        changed = np.abs(shown - rest).max(axis=2) > 24
        assert 0.002 < changed.mean() < 0.2, expression


def test_poses_of_clips_make_stills(studio: Studio, doll_file: str) -> None:
    rest = studio.snapshot(plain(doll_file))
    waving = plain(doll_file, pose="greeting", framing="full")
    assert studio.snapshot(waving) != studio.snapshot(plain(doll_file, framing="full"))
    assert cache_key(waving, "m") != cache_key(replace(waving, pose=None), "m")
    assert studio.snapshot(plain(doll_file)) == rest
    with pytest.raises(BadRequestError, match="greeting"):
        studio.snapshot(plain(doll_file, pose="cartwheel"))


def test_our_own_figures_are_built_once(studio: Studio, tmp_path: Path) -> None:
    from render import figures

    fresh = Studio(tmp_path)
    name = f"default:{figures.NAMES[0]}"
    assert {"happy", "sad", "angry", "relaxed", "surprised", "blink"} <= set(fresh.expressions(name))
    kept = list((tmp_path / "figures").iterdir())
    assert [path.suffix for path in kept] == [".vrm"]
    written = kept[0].stat().st_mtime_ns
    assert Studio(tmp_path).digest(name) == fresh.digest(name)
    assert kept[0].stat().st_mtime_ns == written


def test_two_studios_do_not_disturb_each_other(studio: Studio, doll_file: str, tmp_path: Path) -> None:
    request = plain(doll_file, expression="happy", weight=1.0)
    first = studio.snapshot(request)
    other = Studio(tmp_path)
    assert other.snapshot(request) == first
    assert studio.snapshot(request) == first
    other.close()
    assert studio.snapshot(request) == first


def test_a_file_with_nothing_in_it_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.vrm"
    document = b'{"asset":{"version":"2.0"},"extensions":{"VRMC_vrm":{"specVersion":"1.0"}}}    '
    document = document[: len(document) - len(document) % 4]
    header = struct.pack("<4sII", b"glTF", 2, 20 + len(document))
    empty.write_bytes(header + struct.pack("<I4s", len(document), b"JSON") + document)
    with pytest.raises(VrmError, match="nothing in it"):
        Studio(tmp_path).expressions(str(empty))
