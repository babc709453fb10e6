"""Time zones by name. A name that nobody knows (an import, a machine without zone files) means UTC."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def find_zone(name: str) -> ZoneInfo | None:
    """Return the zone of an IANA name, or None if there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def zone_named(name: str) -> ZoneInfo:
    """Return the zone of an IANA name; a wrong one must not stop a turn and means UTC."""
    return find_zone(name) or ZoneInfo("UTC")
