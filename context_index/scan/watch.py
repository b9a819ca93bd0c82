"""Watches files on disk, for commands that no editor informs of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from context_index.scan.exclusion import is_vendored


def changes(roots: Sequence[Path], stop: Event | None = None) -> Iterator[set[Path]]:
    """The files that were created, changed or deleted, in batches, until `stop` is set or Ctrl+C is typed.

    Raises:
        KeyboardInterrupt: Ctrl+C was typed.
    """
    from watchfiles import watch  # noqa: PLC0415 -- brings a library of Rust that only a watcher needs

    tops = [root.resolve() for root in roots]

    def wanted(_change: object, name: str) -> bool:
        path = Path(name)
        top = next((top for top in tops if path.is_relative_to(top)), None)
        return top is not None and not any(is_vendored(part) for part in path.relative_to(top).parts)

    for batch in watch(*tops, watch_filter=wanted, stop_event=stop, raise_interrupt=True):
        yield {Path(name) for _, name in batch}
