"""Who writes her words, for the sentences that tell people where their words go."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

Place = Literal["none", "local", "cloud"]


@dataclass(frozen=True, slots=True)
class Voice:
    """Where the model is: none (the stand-in), on the operator's machine or network, or a provider's."""

    place: Place
    provider: str = ""


def place_of(provider: str, base_url: str) -> Voice:
    """Tell where a provider's model runs, by its address; an unknown host counts as a cloud."""
    if provider == "scripted":
        return Voice("none")
    host = urlsplit(base_url).hostname or ""
    if _is_near(host):
        return Voice("local", provider)
    return Voice("cloud", host if provider == "custom" else provider)


def _is_near(host: str) -> bool:
    if (
        host == "localhost"
        or host.endswith((".local", ".internal", ".lan"))
        or (host and "." not in host and ":" not in host)
    ):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private
