"""Options that several commands share; each function adds one group of them to a command. `parser.py` calls them."""

from __future__ import annotations

import argparse

from lsp_server.cli import values
from lsp_server.engine.suggestion import DEVICES, DTYPES
from lsp_server.paths import existing

POLICIES = ("aligned", "reference")


def model(command: argparse.ArgumentParser) -> None:
    """Add `--model`, `--device` and `--dtype`."""
    group = command.add_argument_group("model")
    group.add_argument(
        "--model",
        type=values.model,
        metavar="NAME|PATH",
        help="a model on the hub or on disk (default: the built-in one)",
    )
    group.add_argument("--device", choices=DEVICES, default="auto", help="where the model computes (default: auto)")
    group.add_argument("--dtype", choices=DTYPES, default="auto", help="precision of its weights (default: auto)")


def sampling(command: argparse.ArgumentParser) -> None:
    """Add `--temperature`, `--top-p` and `--seed`."""
    group = command.add_argument_group("sampling")
    group.add_argument(
        "--temperature", type=values.temperature, default=0.0, metavar="T", help="0 is greedy (default: 0)"
    )
    group.add_argument(
        "--top-p",
        type=values.probability,
        default=1.0,
        metavar="P",
        help="sample from the smallest set of tokens with this total probability (default: 1)",
    )
    group.add_argument("--seed", type=values.count_from_zero, metavar="N", help="same seed, same text")


def params(command: argparse._ActionsContainer) -> None:
    """Add `--params`, the parameters of a program or controller."""
    command.add_argument(
        "--params",
        type=values.json_object,
        default={},
        metavar="JSON",
        help="a JSON object that is passed to the program or controller",
    )


def prediction(command: argparse.ArgumentParser) -> None:
    """Add options that say how a draft is verified; the output does not depend on them."""
    group = command.add_argument_group("draft")
    group.add_argument(
        "--policy", choices=POLICIES, default=POLICIES[0],
        help="aligned resumes the draft as soon as an edit is over, reference by the rule that a hosted service "
        "published (default: aligned)",
    )  # fmt: skip
    group.add_argument(
        "--lookahead", type=values.tokens, metavar="K",
        help="tokens verified at once (default: 16 with reference; with aligned, as many as are fastest on "
        "this machine)",
    )  # fmt: skip
    group.add_argument(
        "--recovery", type=values.tokens, metavar="N",
        help="tokens that must agree after a mismatch (default: 32 with reference; with aligned, as few as needed)",
    )  # fmt: skip


def workspace(command: argparse.ArgumentParser) -> None:
    """Add `--workspace`, which files are read besides FILE, and what `trust` adds."""
    command.add_argument(
        "--workspace",
        type=values.directory,
        metavar="DIR",
        help="also read the files of DIR, and offer what they export (default: only what FILE imports)",
    )
    trust(command)


def trust(command: argparse.ArgumentParser) -> None:
    """Add `--typescript` and `--trust`: which TypeScript is used, and whether it may come from the workspace."""
    command.add_argument(
        "--typescript",
        type=existing,
        metavar="PATH",
        help="use this TypeScript 7 instead of the one of 'inscope setup': its tsc, or a folder with node_modules",
    )
    command.add_argument(
        "--trust", action="store_true", help="allow --typescript to name a TypeScript in the workspace"
    )


def json(command: argparse._ActionsContainer) -> None:
    """Add `--json`, output for programs."""
    command.add_argument("--json", action="store_true", help="print JSON, for programs")
