"""What the page is served from, and how it is told what to draw."""

from __future__ import annotations

import json
import queue
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar, Final

HERE: Final = Path(__file__).parent
KINDS: Final = {".html": "text/html", ".js": "text/javascript", ".vrm": "model/gltf-binary"}


class PageServer:
    """Serves the page on a free port of this machine; `driver` is what draws there, once it has told."""

    def __init__(self, packages: Path, model: bytes) -> None:
        self.packages, self.model, self.driver = packages, model, ""
        self.jobs: queue.Queue[Mapping[str, Any]] = queue.Queue()
        self.answers: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.closed = False
        handler = type("Handler", (_Handler,), {"page": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self._thread = Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/page.html"

    def wait(self, kind: str, within_s: float) -> bytes:
        """Return the page's next word, which must be of a kind."""
        try:
            told, body = self.answers.get(timeout=within_s)
        except queue.Empty:
            raise RuntimeError(f"the page gave no {kind} within {within_s:.0f} s") from None
        if told != kind:
            raise RuntimeError(body.decode(errors="replace")[:200])
        return body

    def close(self) -> None:
        self.closed = True
        self._http.shutdown()
        self._http.server_close()

    def file(self, path: str) -> Path | None:
        """Return the file behind a path of the page."""
        if path.startswith("/npm/"):
            found = (self.packages / path.removeprefix("/npm/")).resolve()
            return found if found.is_relative_to(self.packages.resolve()) and found.is_file() else None
        return HERE / path[1:] if path in ("/page.html", "/page.js") else None


class _Handler(BaseHTTPRequestHandler):
    page: ClassVar[PageServer]

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/job":
            self._send(json.dumps(self._next_job()).encode(), "application/json")
        elif path == "/model.vrm":
            self._send(self.page.model, KINDS[".vrm"])
        elif (file := self.page.file(path)) is not None:
            self._send(file.read_bytes(), KINDS.get(file.suffix, "application/octet-stream"))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.page.answers.put((self.path[1:], body))
        self._send(b"", "text/plain")

    def _next_job(self) -> Mapping[str, Any]:
        while not self.page.closed:
            try:
                return self.page.jobs.get(timeout=0.5)
            except queue.Empty:
                continue
        return {}

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        try:
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            self.close_connection = True  # the browser was closed while it waited for a job

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
