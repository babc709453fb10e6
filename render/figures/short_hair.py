"""Short hair: a swept fringe, layers from the crown, close sides."""

from __future__ import annotations

import numpy as np

from render.figures.bob_hair import side_root
from render.figures.hair import Lock, over
from render.figures.hairdo import Hairdo, crown
from render.figures.head import Head

_TEMPLE = ((60, 0.192, 0.006), (66, 0.166, 0.008), (71, 0.140, 0.007), (74, 0.112, 0.004))


def short_hair(head: Head) -> Hairdo:
    """Return short hair: a swept fringe, layers from the crown, close sides."""
    fringe = [
        (0.048, 0.0125, ((26, 0.188, 0.011), (14, 0.176, 0.016), (0, 0.156, 0.016), (-9, 0.140, 0.012))),
        (0.044, 0.0155, ((20, 0.196, 0.011), (-6, 0.182, 0.017), (-26, 0.158, 0.018), (-36, 0.136, 0.013))),
        (0.036, 0.0165, ((10, 0.204, 0.011), (-24, 0.186, 0.017), (-46, 0.158, 0.018), (-56, 0.128, 0.012))),
        (0.024, 0.0175, ((0, 0.212, 0.010), (-40, 0.188, 0.016), (-64, 0.156, 0.019), (-73, 0.116, 0.012))),
        (0.046, 0.0120, ((38, 0.186, 0.010), (43, 0.170, 0.014), (43, 0.152, 0.014), (38, 0.136, 0.010))),
        (0.038, 0.0150, ((46, 0.190, 0.010), (57, 0.168, 0.015), (62, 0.142, 0.015), (60, 0.116, 0.011))),
        (0.024, 0.0165, ((54, 0.194, 0.010), (70, 0.164, 0.016), (77, 0.128, 0.015), (76, 0.094, 0.008))),
    ]
    locks = [Lock(crown(head, side_root(z), *steps), width, flat=0.40) for z, width, steps in fringe]
    locks += [_layer(head, float(a)) for a in np.linspace(78, 282, 14)]
    locks += [_tuft(head, float(a), 0.135, 0.078) for a in np.linspace(100, 260, 12)]
    locks += [_tuft(head, float(a), 0.088, 0.036) for a in np.linspace(132, 228, 8)]
    locks += [_tuft(head, s * 79.0, 0.130, 0.082) for s in (1, -1)]
    locks += [_temple(head, s) for s in (1, -1)]
    return Hairdo(locks, None, [])


def _layer(head: Head, degrees: float) -> Lock:
    """Return a lock from the crown to the widest part of the head."""
    swirl = 6 * np.sin(degrees)
    end = 0.118 + 0.010 * np.sin(degrees * 1.7)
    path = crown(
        head,
        (0.004, -0.012),
        (degrees + swirl, 0.192, 0.011),
        (degrees + swirl, 0.168, 0.018),
        (degrees - swirl, end, 0.010),
    )
    return Lock(path, 0.0175, flat=0.22, blunt=0.5)


def _temple(head: Head, side: int) -> Lock:
    """Return a lock close to the skin that closes the gap below the fringe when the head is turned."""
    path = over(head, *((side * a, y, lift) for a, y, lift in _TEMPLE))
    return Lock(path, 0.0150, flat=0.22, blunt=0.5)


def _tuft(head: Head, degrees: float, start: float, end: float) -> Lock:
    """Return a short lock that lies on the hair below it."""
    swirl = 7 * np.sin(degrees)
    middle = (start + end) / 2
    path = over(
        head, (degrees, start + 0.022, 0.006), (degrees + swirl * 0.4, start, 0.014),
        (degrees + swirl, middle, 0.014), (degrees + 1.6 * swirl, end, 0.004),
    )  # fmt: skip
    return Lock(path, 0.0165, flat=0.28, blunt=0.45)
