"""What every source has that asks a server: who the server is, how it fares, and its end."""

from __future__ import annotations

from pathlib import Path

from context_index.oracles.protocol import Program
from context_index.oracles.supervised import Limits, Supervised


class Served:
    """What every source has that asks a server."""

    def __init__(self, program: Program, root: Path, limits: Limits | None = None) -> None:
        """Nothing is started before the first question."""
        self._server = Supervised(program, root, limits)

    @property
    def name(self) -> str:
        """The server's name and version."""
        return self._server.name

    @property
    def pid(self) -> int | None:
        """The server's process, while there is one."""
        return self._server.pid

    @property
    def starts(self) -> int:
        """How often the server was started."""
        return self._server.starts

    @property
    def seconds(self) -> float:
        """How long the server has been waited for, in all."""
        return self._server.seconds

    @property
    def idle_limit(self) -> float | None:
        """After how many seconds without a question it is to be stopped; None while it is not running."""
        return self._server.idle_limit

    def stop(self) -> None:
        """End the process; the next question starts another."""
        self._server.stop()
