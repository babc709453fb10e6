"""A child process that does what it is told, the bad things too."""

import os
import sys
import time

from render import wire


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    while (message := wire.read(sys.stdin.buffer)) is not None:
        header, body = message
        match header["do"]:
            case "echo":
                answer = wire.pack({"ok": True, "pid": os.getpid(), "environment": dict(os.environ)}, body)
            case "refuse":
                answer = wire.pack({"ok": False, "error": "VrmError", "message": "no head"})
            case "hang":
                time.sleep(600)
                return
            case "die":
                os._exit(3)
            case "half":
                out.write(wire.pack({"ok": True}, b"x" * 100)[:50])
                out.flush()
                os._exit(0)
            case "garbage":
                answer = b"\xff" * 64
            case "grow":
                answer = wire.pack({"ok": True}, bytes(bytearray(1 << 30)[:1]))
        out.write(answer)
        out.flush()


if __name__ == "__main__":
    main()
