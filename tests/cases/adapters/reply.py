"""The reply parser's tables."""

from __future__ import annotations

from collections.abc import Callable

from engine.reply_block import as_table, parse_reply


def _parse_response(args: dict) -> object:
    return as_table(parse_reply(args["text"], args.get("name", "")))


def _turn_parse(args: dict) -> object:
    parsed = parse_reply(args["text"], args.get("name", ""))
    tags = [{"time": tag.time, "content": tag.content} for tag in parsed.reminder_tags]
    return {**as_table(parsed), "reminders": tags}


FUNCTIONS: dict[str, Callable[[dict], object]] = {
    "parseResponse": _parse_response,
    "turnParse": _turn_parse,
}

DIFFERENT: dict[str, str] = {
    "parser-014": "an empty object suggests nothing, so the extraction call is worth its price (dis-014)",
    "parser-124": "single quotes are read (dis-017)",
}
