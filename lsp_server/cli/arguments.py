"""What can be said on the command line; imports nothing heavy, so that help and mistakes are answered at once."""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NoReturn

from lsp_server.cli.place import Place, place
from lsp_server.suggestion import Extent

DEVICES = ("auto", "cpu", "cuda", "mps")
DTYPES = ("auto", "float32", "bfloat16", "float16")
"""Both as in `decoder.loading`, held equal by a test."""
MOST_TOKENS = 2048
"""Far more than anyone reads before accepting."""
_DIGITS = 20
"""Longer numbers mean nothing here, and Python refuses to read those of thousands of digits."""


class Arguments(argparse.Namespace):
    """The arguments of all commands, with their types; each command sets its own part."""

    command: str
    json: bool
    # complete, symbols
    place: Place | None
    workspace: Path | None
    # complete
    batch: str | None
    model: str | None
    device: str
    dtype: str
    no_constraint: bool
    explain: bool
    extent: str
    max_tokens: int
    deadline_ms: float | None
    temperature: float
    top_p: float
    seed: int | None
    # index
    directory: Path
    # lsp
    tcp: tuple[str, int] | None
    # bench
    name: str | None
    rest: list[str]


class Parser(argparse.ArgumentParser):
    """Says what was wrong in one sentence instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        """Leave with exit code 2."""
        self.exit(2, f"error: {message}; see '{self.prog} --help'\n")


class ShowVersion(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _namespace: argparse.Namespace,
        _values: object,
        _option: str | None = None,
    ) -> None:
        """Print and leave."""
        try:
            number = version("inscope")
        except PackageNotFoundError:
            number = "from a source tree that is not installed"
        print(f"inscope {number}")  # noqa: T201 - what was asked for
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = Parser(
        prog="inscope",
        description="Completes code with a local model that can only name what is in scope. "
        "FILE:LINE:COLUMN counts from 1, columns in characters; the cursor is before that column.",
        epilog="exit codes: 0 done, 1 the request failed, 2 the command was not understood",
    )
    top.add_argument("--version", action=ShowVersion, nargs=0, help="print the version and leave")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    _complete(commands.add_parser("complete", help="suggest what comes next at a place"))
    _symbols(commands.add_parser("symbols", help="list the names in scope at a place"))
    _index(commands.add_parser("index", help="read a workspace and say what was found and what was left out"))
    _lsp(commands.add_parser("lsp", help="run the language server, for editors"))
    _doctor(commands.add_parser("doctor", help="check that everything that is needed is here and works"))
    _bench(commands.add_parser("bench", help="measure, in a checkout of the source"))
    return top


def _complete(command: argparse.ArgumentParser) -> None:
    command.description = "Suggest what comes next at a place, checked against the names in scope and the syntax."
    command.epilog = (
        "--batch reads one JSON object per line, {id, file, line, column, text?}, and answers in the same order, "
        "each as soon as it is there; `text` stands for what is on disk. See the README, 'Answers'."
    )
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument("place", nargs="?", type=place, metavar="FILE:LINE:COLUMN")
    where.add_argument("--batch", metavar="IN.jsonl|-", help="answer many places, loading the model once")
    _workspace(command)
    _json(command)
    command.add_argument(
        "--explain", action="store_true", help="tell for each token what was refused, and by which rule"
    )
    model = command.add_argument_group("model")
    model.add_argument("--model", metavar="NAME|PATH", help="a model on the hub or on disk (default: the built-in one)")
    model.add_argument("--device", choices=DEVICES, default="auto")
    model.add_argument("--dtype", choices=DTYPES, default="auto")
    wanted = command.add_argument_group("suggestion")
    wanted.add_argument("--extent", choices=[*map(str, Extent)], default=str(Extent.AUTO), help="how much to suggest")
    wanted.add_argument("--max-tokens", type=_tokens, default=64, metavar="N", help=f"1 to {MOST_TOKENS} (default: 64)")
    wanted.add_argument("--deadline-ms", type=_positive, metavar="MS", help="offer what is complete by then")
    wanted.add_argument("--no-constraint", action="store_true", help="let the model say whatever it likes")
    sampling = command.add_argument_group("sampling")
    sampling.add_argument("--temperature", type=_temperature, default=0.0, metavar="T", help="0 is greedy (default: 0)")
    sampling.add_argument("--top-p", type=_probability, default=1.0, metavar="P", help="(default: 1)")
    sampling.add_argument("--seed", type=_count_from_zero, metavar="N", help="same seed, same text")


def _symbols(command: argparse.ArgumentParser) -> None:
    command.description = "List the names in scope at a place, innermost first, and what can be imported."
    command.add_argument("place", type=place, metavar="FILE:LINE:COLUMN")
    _workspace(command)
    _json(command)


def _index(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Read a workspace as the language server would; say what was found and what was left out, and why."
    )
    command.add_argument("directory", nargs="?", type=Path, default=Path(), metavar="DIR", help="(default: here)")
    _json(command)


def _lsp(command: argparse.ArgumentParser) -> None:
    command.description = "Run the language server. Editors start it; it speaks over standard input and output."
    channel = command.add_mutually_exclusive_group()
    channel.add_argument("--stdio", action="store_true", help="standard input and output (the default)")
    channel.add_argument("--tcp", type=_address, metavar="HOST:PORT", help="listen there for one editor")


def _doctor(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Check Python, the model, the parsers and the optional tools; exit code 1 if one fails that is needed."
    )
    _json(command)


def _bench(command: argparse.ArgumentParser) -> None:
    command.description = "Run a benchmark of a source checkout by its name; without a name, list them."
    command.add_argument("name", nargs="?", metavar="NAME", help="a benchmark, or 'all'")
    command.add_argument("rest", nargs=argparse.REMAINDER, metavar="...", help="passed on to the benchmark")


def _workspace(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        help="read the files of DIR too, for what they export (default: the file alone)",
    )


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON, for programs")


def _tokens(text: str) -> int:
    if text.isdecimal() and len(text) < _DIGITS and 0 < int(text) <= MOST_TOKENS:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {MOST_TOKENS}, not '{text}'")


def _count_from_zero(text: str) -> int:
    if text.isdecimal() and len(text) < _DIGITS:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 0, not '{text}'")


def _positive(text: str) -> float:
    return _number(text, "a number above 0", above=0, most=float("inf"))


def _probability(text: str) -> float:
    return _number(text, "a number above 0 and at most 1", above=0, most=1)


def _temperature(text: str) -> float:
    if text.strip("0") in {"", "."}:
        return 0.0
    return _number(text, "a number from 0 to 100", above=0, most=100)


def _number(text: str, expected: str, *, above: float, most: float) -> float:
    """A finite number in (above, most]."""
    try:
        number = float(text)
    except ValueError:
        number = above
    if above < number <= most and number != float("inf"):
        return number
    raise argparse.ArgumentTypeError(f"expected {expected}, not '{text}'")


def _address(text: str) -> tuple[str, int]:
    """HOST:PORT; an IPv6 host may stand in brackets."""
    host, _, port = text.rpartition(":")
    if host and port.isdecimal() and int(port) < 1 << 16:
        return host.removeprefix("[").removesuffix("]"), int(port)
    raise argparse.ArgumentTypeError(f"expected HOST:PORT, such as 127.0.0.1:4711, not '{text}'")
