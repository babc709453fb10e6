"""The draw pass: pyrender's renderer with our own vertices, textures and MToon shaders.

Import this only after `render.gl.context.open_context` has chosen the OpenGL platform.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from OpenGL import GL
from pyrender.renderer import Renderer

from render.deform import deform
from render.framing import Camera
from render.gl.buffers import Canvas, VertexBuffer, front_first, upload_texture
from render.gl.programs import SLOTS, Program, Programs, sampler_name
from render.lighting import Lighting
from render.rotations import Matrix
from render.vrm import Model
from render.vrm.expressions import MaterialChange, Resolved
from render.vrm.materials import Material
from render.vrm.meshes import Indices, Primitive
from render.vrm.textures import Pixels, Sampling

_OUTLINE_ROOM = 0.05
"""How far an outline may reach into the picture from outside, in halves of the picture."""

Surface = npt.NDArray[np.float32]


@dataclass(slots=True)
class _Loaded:
    """A model on the graphics side."""

    buffers: list[VertexBuffer]
    textures: dict[Sampling, int]
    surfaces: list[Surface]
    order: list[int]
    tinted: list[bool]
    turns: list[Surface] = field(default_factory=list)


class ToonRenderer(Renderer):  # type: ignore[misc]
    """Draws avatars; of pyrender's renderer it keeps the shader cache and the life of GL objects."""

    def __init__(self) -> None:
        super().__init__(1, 1)
        self._programs = Programs()
        self._program_cache = self._programs.cache
        self._loaded: dict[str, _Loaded] = {}
        self._canvas: Canvas | None = None

    def load(self, model: Model) -> None:
        """Bring a model to the graphics side; a second call does nothing.

        Raises:
            VrmError: One of its pictures is damaged.
        """
        if model.digest in self._loaded:
            return
        pixels = {sampling: model.pictures.pixels(sampling.image) for sampling in _samplings(model)}
        self._loaded[model.digest] = _Loaded(
            buffers=[VertexBuffer(primitive, _order(model, primitive)) for primitive in model.primitives],
            textures={sampling: upload_texture(image, sampling) for sampling, image in pixels.items()},
            surfaces=[_surface(material) for material in model.materials],
            order=_draw_order(model),
            tinted=[primitive.colors is not None for primitive in model.primitives],
            turns=[_turns(material) for material in model.materials],
        )

    def unload(self, model: Model) -> None:
        """Free what a model has on the graphics side."""
        loaded = self._loaded.pop(model.digest, None)
        if loaded is None:
            return
        for buffer in loaded.buffers:
            buffer.delete()
        if loaded.textures:
            GL.glDeleteTextures(list(loaded.textures.values()))

    def draw(
        self,
        model: Model,
        world: Matrix,
        face: Resolved,
        camera: Camera,
        lighting: Lighting,
        side_px: int,
        seconds: float = 0.0,
    ) -> Pixels:
        """Draw a model into a square picture.

        Args:
            model: The avatar; loaded if it is not yet.
            world: (nodes, 4, 4) world matrices of its pose.
            face: Its resolved expressions.
            camera: Where it is seen from.
            lighting: The light.
            side_px: Width and height in pixels.
            seconds: The time for moving textures.

        Returns:
            (side_px, side_px, 4) sRGB pixels, colours multiplied by alpha, transparent background.
        """
        self.load(model)
        loaded = self._loaded[model.digest]
        self._update_vertices(model, loaded, world, face)
        canvas = self._canvas_of(side_px)
        canvas.clear()
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthFunc(GL.GL_LEQUAL)
        pass_ = _Pass(self._programs, loaded, camera, lighting, seconds)
        for number in loaded.order:
            material = model.primitives[number].material
            pass_.draw(number, material, model.materials[material], face.materials.get(material))
        GL.glBindVertexArray(0)
        GL.glDepthMask(True)
        return canvas.read()

    def delete(self) -> None:
        """Free everything on the graphics side."""
        for loaded in self._loaded.values():
            for buffer in loaded.buffers:
                buffer.delete()
            if loaded.textures:
                GL.glDeleteTextures(list(loaded.textures.values()))
        self._loaded.clear()
        if self._canvas is not None:
            self._canvas.delete()
            self._canvas = None
        super().delete()

    def _canvas_of(self, side_px: int) -> Canvas:
        if self._canvas is None or self._canvas.side_px != side_px:
            if self._canvas is not None:
                self._canvas.delete()
            self._canvas = Canvas(side_px)
        return self._canvas

    @staticmethod
    def _update_vertices(model: Model, loaded: _Loaded, world: Matrix, face: Resolved) -> None:
        stance = hash(world.tobytes())
        for number in loaded.order:
            morphs = face.morphs.get(number, ())
            key: Hashable = (morphs, stance)
            buffer = loaded.buffers[number]
            if buffer.key != key:
                buffer.upload(*deform(model, model.primitives[number], morphs, world))
                buffer.key = key


class _Pass:
    """One picture's worth of state: what is bound, so that nothing is bound twice."""

    def __init__(
        self, programs: Programs, loaded: _Loaded, camera: Camera, lighting: Lighting, seconds: float
    ) -> None:
        self._programs, self._loaded = programs, loaded
        self._camera, self._lighting, self._seconds = camera, lighting, seconds
        self._view_projection = camera.projection @ camera.view
        self._bound: Program | None = None

    def draw(self, number: int, index: int, material: Material, change: MaterialChange | None) -> None:
        """Draw one primitive: its surface, then its outline if it has one; nothing if it is out of sight."""
        if self._out_of_sight(number, material):
            return
        surface = self._loaded.surfaces[index]
        if change is not None:
            surface = _changed(surface, material, change)
        self._draw_side(number, index, material, surface, outline=False)
        if material.has_outline:
            self._draw_side(number, index, material, surface, outline=True)

    def _out_of_sight(self, number: int, material: Material) -> bool:
        # Feet outside a portrait cost as much as the face: vertices are half of a software driver's work.
        points = self._loaded.buffers[number].corners @ self._view_projection.T
        reach = points[:, 3] * (1.0 + _OUTLINE_ROOM * material.has_outline)
        x, y = points[:, 0], points[:, 1]
        return bool((x > reach).all() or (x < -reach).all() or (y > reach).all() or (y < -reach).all())

    def _draw_side(
        self, number: int, index: int, material: Material, surface: Surface, *, outline: bool
    ) -> None:
        rim = bool(surface[4, :3].any())
        tinted = self._loaded.tinted[number]
        program = self._programs.of(material, outline=outline, rim=rim, tinted=tinted)
        if program is not self._bound:
            self._bind(program)
        for unit, (slot, texture) in enumerate(material.textures.items()):
            GL.glActiveTexture(GL.GL_TEXTURE0 + unit)
            GL.glBindTexture(GL.GL_TEXTURE_2D, self._loaded.textures[texture.sampling])
            program.integer(sampler_name(slot), unit)
        program.rows("surface", surface)
        program.rows("turns", self._loaded.turns[index])
        program.integer("width_of_screen", int(material.outline_mode == "screenCoordinates"))
        _set_blending(material)
        _set_culling(material, outline=outline)
        self._loaded.buffers[number].draw()

    def _bind(self, program: Program) -> None:
        program.use()
        program.matrix("view_projection", self._view_projection)
        program.number("projection_scale", float(self._camera.projection[1, 1]))
        x, y, z = self._camera.position.tolist()
        program.vector("camera_position", (x, y, z))
        direction = np.array(self._lighting.direction)
        x, y, z = (direction / np.linalg.norm(direction)).tolist()
        program.vector("light_direction", (x, y, z))
        program.vector("light_color", self._lighting.color)
        program.vector("ambient_color", self._lighting.ambient)
        program.number("seconds", self._seconds)
        self._bound = program


def _set_blending(material: Material) -> None:
    if material.alpha_mode != "BLEND":
        GL.glDisable(GL.GL_BLEND)
        GL.glDepthMask(True)
        return
    GL.glEnable(GL.GL_BLEND)
    # Alpha is added up on its own, or half-transparent hair would leave holes in a transparent picture.
    GL.glBlendFuncSeparate(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
    GL.glDepthMask(material.depth_write)


def _set_culling(material: Material, *, outline: bool) -> None:
    if material.double_sided and not outline:
        GL.glDisable(GL.GL_CULL_FACE)
        return
    GL.glEnable(GL.GL_CULL_FACE)
    GL.glCullFace(GL.GL_FRONT if outline else GL.GL_BACK)


def _samplings(model: Model) -> set[Sampling]:
    used = {primitive.material for primitive in model.primitives if primitive.visible}
    return {texture.sampling for number in used for texture in model.materials[number].textures.values()}


def _draw_order(model: Model) -> list[int]:
    """Opaque, cut-out, blended with depth, blended; the latter two by their queue (MToon 1.0)."""

    def rank(number: int) -> tuple[int, int, int]:
        material = model.materials[model.primitives[number].material]
        if material.alpha_mode != "BLEND":
            return (0 if material.alpha_mode == "OPAQUE" else 1, 0, number)
        return (2 if material.depth_write else 3, material.queue, number)

    return sorted((i for i, primitive in enumerate(model.primitives) if primitive.visible), key=rank)


def _order(model: Model, primitive: Primitive) -> Indices:
    """Indices as they are drawn; what is blended keeps the order its author gave it."""
    if model.materials[primitive.material].alpha_mode == "BLEND" or not len(primitive.indices):
        return primitive.indices
    positions, _ = deform(model, primitive, (), model.rest_world)
    return front_first(primitive.indices, positions[:, 2])


def _surface(material: Material) -> Surface:
    rows = np.zeros((16, 4), np.float32)
    rows[0] = material.color
    rows[1] = (*material.shade[:3], material.shading_shift)
    rows[2] = (*material.emissive[:3], material.toony)
    rows[3] = (*material.matcap[:3], material.shift_scale)
    rows[4] = (*material.rim[:3], material.rim_power)
    rows[5] = (*material.outline[:3], material.rim_lift)
    rows[6] = (
        material.rim_lighting_mix,
        material.outline_lighting_mix,
        material.cutoff,
        material.normal_scale,
    )
    rows[7] = (*material.uv_speed, material.outline_width)
    for row, slot in enumerate(SLOTS):
        texture = material.textures.get(slot)
        rows[8 + row] = texture.placement if texture else (1.0, 1.0, 0.0, 0.0)
    return rows


def _turns(material: Material) -> Surface:
    turns = [material.textures[slot].rotation if slot in material.textures else 0.0 for slot in SLOTS]
    return np.array(turns, np.float32).reshape(2, 4)


_COLOR_ROWS = {"color": 0, "shade": 1, "emissive": 2, "matcap": 3, "rim": 4, "outline": 5}


def _changed(surface: Surface, material: Material, change: MaterialChange) -> Surface:
    rows = surface.copy()
    for name, value in change.colors.items():
        row = _COLOR_ROWS[name]
        width = 4 if name == "color" else 3
        rows[row, :width] = value[:width]
    if change.placement is not None:
        rows[8 : 8 + len(SLOTS)] = change.placement
    return rows
