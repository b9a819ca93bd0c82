"""The parsed arguments of the command line, with their types; `parser.py` fills them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.engine.wire.file_place import FilePlace

if TYPE_CHECKING:
    from lsp_server.settings.table import Settings


class Arguments(argparse.Namespace):
    """The arguments of all commands; each command sets its own part, as the comments say."""

    command: str
    json: bool
    settings: Settings
    """From the configuration files; only for the commands that answer about code (`configured.COMMANDS`)."""
    # complete, verify, symbols
    place: FilePlace | None
    # complete, verify, symbols, rewrite, generate, lower
    workspace: Path | None
    typescript: Path | None
    trust: bool
    # complete, verify, rewrite
    batch: str | None
    # complete, rewrite, generate; symbols has `model`, train has `seed`
    model: str | None
    device: str
    dtype: str
    no_constraint: bool
    temperature: float
    top_p: float
    seed: int | None
    # complete, rewrite
    deadline_ms: float | None
    explain: bool
    # complete, generate, lower
    params: dict[str, object]
    # complete
    no_prior: bool
    controller: Path | None
    workspace_controllers: bool
    imports: str
    extent: str
    max_tokens: int
    eagerness: str | None
    # verify
    text: str | None
    replaces: int
    # symbols
    prompt: bool
    # rewrite, generate
    policy: str
    lookahead: int | None
    recovery: int | None
    # rewrite
    file: str | None
    instruction: str | None
    lines: tuple[int, int] | None
    rename: tuple[str, str] | None
    at: tuple[int, int] | None
    all: bool
    draft: str
    force: bool
    write: bool
    follow: bool
    resume: bool
    undo: bool
    show_draft: bool
    html: Path | None
    # generate, lower
    program: Path
    context: FilePlace | None
    # generate
    comment: str
    predicted: str | None
    program_tokens: int
    trace: bool
    # lower
    to: str
    # index
    directory: Path
    skipped: bool
    watch: bool
    # lsp
    tcp: tuple[str, int] | None
    # doctor; also has `workspace`
    deep: bool
    # models; also has `name`
    action: str | None
    # stats
    delete: bool
    # train
    share: float
    holes: float
    roots: list[Path]
    out: Path
    start: Path | None
    size: str | None
    tokens: int
    length: int
    batch_size: int
    train_device: str
    workers: int
    prior: bool
    ngrams: bool
    calibration: bool
    # setup
    check: bool
    remove: bool
    source: Path | None
    # completion
    shell: str
    # bench
    name: str | None
    rest: list[str]
