"""How questions look on the wire: as LSP has them, or, for a process of ours, as lines."""

from __future__ import annotations

import json
from typing import Protocol

Json = dict[str, object]


class Dialect(Protocol):
    """Between messages and a server's bytes."""

    def encode(self, message: Json) -> bytes:
        """What is written for a message."""


class Lsp:
    """As the protocol has it."""

    def encode(self, message: Json) -> bytes:
        """JSON after its length."""
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(data), data)


class JsonLines:
    """Questions as lines; answers as the protocol has them."""

    def encode(self, message: Json) -> bytes:
        """JSON in a line."""
        return json.dumps(message).encode() + b"\n"


LSP = Lsp()
JSON_LINES = JsonLines()
