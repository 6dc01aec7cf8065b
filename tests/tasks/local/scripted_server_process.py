"""A stand-in for the model's server process: it speaks the same protocol and behaves as it is told."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from claimrag.tasks.local.server_process import exit_with_parent, report


class Health(BaseHTTPRequestHandler):
    refusals = 0

    def do_GET(self) -> None:
        status = 503 if type(self).refusals > 0 else 200
        type(self).refusals -= 1
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    spec = json.loads(sys.argv[1])
    mode = spec["extra"].get("mode", "healthy")
    sys.stderr.write("".join(f"log line {number}\n" for number in range(1, 21)))
    sys.stderr.flush()
    if mode == "stubborn":
        replies = sys.stdout
    else:
        exit_with_parent(spec["parent"])
        replies = os.fdopen(os.dup(1), "w")
    if mode == "dies":
        sys.exit(7)
    if mode == "silent":
        time.sleep(60)
    if mode.startswith("error:"):
        _, kind, detail = mode.split(":", 2)
        report(replies, error=kind, detail=detail)
        sys.exit(3)
    server = HTTPServer(("127.0.0.1", 0), Health)
    Health.refusals = {"loading": 3, "never ready": 10**9}.get(mode, 0)
    report(replies, address=f"http://127.0.0.1:{server.server_address[1]}")
    if mode == "dies later":
        sys.exit(8)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    time.sleep(60)


if __name__ == "__main__":
    main()
