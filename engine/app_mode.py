"""The two modes and the way between them (specification, "App Modes")."""

from __future__ import annotations

from dataclasses import replace

from engine.character import AppMode, CharacterState
from engine.stages import stage_rank, supported_stage


def set_app_mode(character: CharacterState, mode: AppMode) -> CharacterState:
    """Switch the mode.

    Into Companion Mode the stage is put aside (a second switch keeps the one put aside). Back, she takes
    the higher of that stage and the stage her numbers support, so time as a plain companion drops nothing.
    """
    if mode == "companion":
        return _to_companion(character)
    return _to_dating_sim(character)


def _to_companion(character: CharacterState) -> CharacterState:
    saved = character.saved_dating_sim_stage
    if character.relationship_stage != "companion":
        saved = character.relationship_stage
    return replace(
        character, app_mode="companion", relationship_stage="companion", saved_dating_sim_stage=saved
    )


def _to_dating_sim(character: CharacterState) -> CharacterState:
    known = character.saved_dating_sim_stage or character.relationship_stage
    stage = max(known, supported_stage(character), key=stage_rank)
    return replace(character, app_mode="dating_sim", relationship_stage=stage, saved_dating_sim_stage=None)
