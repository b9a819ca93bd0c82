"""Watches files on disk, for commands that no editor informs of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from context_index.scan.exclusion import is_vendored


def changes(roots: Sequence[Path], stop: Event | None = None) -> Iterator[set[Path]]:
    """The files that were created, changed or deleted, in batches, until `stop` is set; waits for each batch.

    What is in folders of other people's code is left out. A root in such a folder is watched all the same.

    Raises:
        KeyboardInterrupt: Ctrl+C was typed.
    """
    from watchfiles import watch  # noqa: PLC0415 -- brings a library of Rust that only a watcher needs

    resolved_roots = [root.resolve() for root in roots]

    def wanted(_change: object, name: str) -> bool:
        path = Path(name)
        around = [root for root in resolved_roots if path.is_relative_to(root)]
        innermost = max(around, key=lambda root: len(root.parts), default=None)
        return innermost is not None and not any(map(is_vendored, path.relative_to(innermost).parts))

    for batch in watch(*resolved_roots, watch_filter=wanted, stop_event=stop, raise_interrupt=True):
        yield {Path(name) for _, name in batch}
