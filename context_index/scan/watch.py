"""Watches files on disk, for commands that no editor informs of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from context_index.scan.exclusion import is_vendored


def changes(roots: Sequence[Path], stop: Event | None = None) -> Iterator[set[Path]]:
    """The files that were created, changed or deleted, in batches, until `stop` is set; waits for each batch.

    What is in folders of other people's code is left out.

    Raises:
        KeyboardInterrupt: Ctrl+C was typed.
    """
    from watchfiles import watch  # noqa: PLC0415 -- brings a library of Rust that only a watcher needs

    resolved_roots = [root.resolve() for root in roots]

    def wanted(_change: object, name: str) -> bool:
        path = Path(name)
        root = next((root for root in resolved_roots if path.is_relative_to(root)), None)
        return root is not None and not any(is_vendored(part) for part in path.relative_to(root).parts)

    for batch in watch(*resolved_roots, watch_filter=wanted, stop_event=stop, raise_interrupt=True):
        yield {Path(name) for _, name in batch}
