"""Slash commands out of CommandSpecs, and telling Discord about them only when they change."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Iterable
from inspect import Parameter, Signature
from typing import Any, Final

import discord
from discord import app_commands

from bot.ports import CommandOption, CommandSpec

_log = logging.getLogger(__name__)

Run = Callable[[discord.Interaction, CommandSpec, dict[str, Any]], Awaitable[None]]
"""Called with the interaction, the command and the values of its options."""

_KINDS: Final[dict[str, type]] = {"text": str, "integer": int, "number": float, "switch": bool}


def make_tree(client: discord.Client, specs: Iterable[CommandSpec], run: Run) -> app_commands.CommandTree:
    """Register commands that work in direct messages, in servers and wherever a user installed the app."""
    tree = app_commands.CommandTree(
        client,
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
    )
    groups: dict[str, app_commands.Group] = {}
    for spec in specs:
        group_name, _, name = spec.name.rpartition(" ")
        command = _command(name, spec, run)
        if not group_name:
            tree.add_command(command)
            continue
        if group_name not in groups:
            groups[group_name] = app_commands.Group(name=group_name, description=spec.description)
            tree.add_command(groups[group_name])
        groups[group_name].add_command(command)
    return tree


def _command(name: str, spec: CommandSpec, run: Run) -> app_commands.Command[Any, Any, Any]:
    async def invoke(interaction: discord.Interaction, **values: Any) -> None:
        await run(interaction, spec, values)

    # discord.py reads a command's options out of its callback's signature.
    vars(invoke)["__signature__"] = Signature(
        [
            Parameter("interaction", Parameter.POSITIONAL_OR_KEYWORD, annotation=discord.Interaction),
            *map(_parameter, spec.options),
        ]
    )
    described: Any = app_commands.describe(**{o.name: o.description for o in spec.options})(invoke)
    for option in spec.options:
        if option.choices:
            choices = [app_commands.Choice(name=choice, value=choice) for choice in option.choices]
            described = app_commands.choices(**{option.name: choices})(described)
    return app_commands.Command(name=name, description=spec.description, callback=described)


def _parameter(option: CommandOption) -> Parameter:
    kind = _KINDS[option.kind]
    if option.required:
        return Parameter(option.name, Parameter.KEYWORD_ONLY, annotation=kind)
    return Parameter(option.name, Parameter.KEYWORD_ONLY, annotation=kind | None, default=None)


def fingerprint(tree: app_commands.CommandTree[Any], application_id: int | None) -> str:
    """Return a hash that changes exactly when Discord must be told of the commands again."""
    commands = [command.to_dict(tree) for command in tree.get_commands()]
    text = json.dumps([application_id, commands], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


async def sync_if_changed(
    tree: app_commands.CommandTree[Any],
    load_hash: Callable[[], Awaitable[str]],
    save_hash: Callable[[str], Awaitable[None]],
) -> None:
    """Tell Discord of the commands if they are not those it was told of last.

    A failure is logged and tried again at the next start: the commands Discord knows keep working, and
    talk does not need them (30034 is the quota of 200 new commands a day).
    """
    wanted = fingerprint(tree, tree.client.application_id)
    if await load_hash() == wanted:
        return
    try:
        await tree.sync()
    except (discord.HTTPException, app_commands.AppCommandError) as error:
        code = getattr(error, "code", 0)
        _log.warning("Discord did not take the slash commands (%s, code %s)", type(error).__name__, code)
        return
    await save_hash(wanted)
