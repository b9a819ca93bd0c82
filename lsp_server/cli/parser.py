"""The command line's parser; imports nothing heavy, so that help and errors appear at once."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from lsp_server.cli import options, values
from lsp_server.cli.arguments import Arguments
from lsp_server.cli.nearest import did_you_mean
from lsp_server.cli.place import place
from lsp_server.suggestion import DEVICES, Eagerness, Extent

SIZES = ("toy", "3M", "6M", "8M", "12M", "20M")
"""As in `training.recipe`, held equal by a test."""
IMPORTS = ("auto", "off")
SHELLS = ("bash", "zsh", "fish")


class Parser(argparse.ArgumentParser):
    """Says what was wrong in one sentence instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        """Leave with exit code 2."""
        self.exit(2, f"error: {message}{'' if message.endswith('?') else ';'} see '{self.prog} --help'\n")

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """Leave with exit code 2, naming the option that was probably meant by the first of the words, if one was."""
        options = [option for option in self._option_string_actions if len(option) > len("-h")]
        meant = did_you_mean(words[0].partition("=")[0], options)
        self.error(f"unrecognized arguments: {' '.join(words)}{meant}")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Where a choice is mistyped, the one that was meant says more than all of them do."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            meant = did_you_mean(str(value), map(str, action.choices or ()))
            if not meant:
                raise
            if action.dest == "command":
                raise argparse.ArgumentError(None, f"there is no command '{value}'{meant}") from error
            raise argparse.ArgumentError(action, f"invalid choice: '{value}'{meant}") from error


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
        from lsp_server.version import version  # noqa: PLC0415 - a third of the time of --help

        print(f"inscope {version()}")  # noqa: T201 - what was asked for
        parser.exit()


def parse(argv: Sequence[str], values: Mapping[str, object] = {}) -> Arguments:
    """What a command line says; `argv` is without the program's name.

    Args:
        values: Take the place of the defaults of options, by their names in `Arguments`.

    Raises:
        SystemExit: it was not understood, which has been said; or only help or the version was asked for.
    """
    top, commands = parsers()
    for command in commands.values():
        command.set_defaults(**values)
    arguments, unknown = top.parse_known_args(argv, namespace=Arguments())
    if unknown:  # argparse itself would name the help of the program, in which no command's options stand
        blamed = commands[arguments.command] if argv[0] == arguments.command else top
        blamed.unknown(unknown)
    return arguments


def parsers() -> tuple[Parser, Mapping[str, Parser]]:
    """The whole command line, and each command's part of it."""
    top = Parser(
        prog="inscope",
        description="Completes code with a local model that can only name what is in scope. "
        "FILE:LINE:COLUMN counts from 1, columns in characters; the cursor is before that column.",
        epilog="exit codes: 0 done, 1 the request failed, 2 the command was not understood, 130 interrupted",
    )
    top.add_argument("--version", action=ShowVersion, nargs=0, help="print the version with its commit, and leave")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    _complete(commands.add_parser("complete", help="suggest what comes next at a place"))
    _verify(commands.add_parser("verify", help="ask the language's compiler whether a text may stand at a place"))
    _rewrite(commands.add_parser("rewrite", help="change a file as an instruction says"))
    _generate(commands.add_parser("generate", help="write what a program allows"))
    _lower(commands.add_parser("lower", help="turn a program into a grammar for other engines"))
    _symbols(commands.add_parser("symbols", help="list the names in scope at a place"))
    _index(commands.add_parser("index", help="read a workspace and say what was found and what was left out"))
    _lsp(commands.add_parser("lsp", help="run the language server, for editors"))
    _setup(commands.add_parser("setup", help="install what pip does not bring: TypeScript 7 and QuickJS"))
    _doctor(commands.add_parser("doctor", help="check that everything that is needed is here and works"))
    _train(commands.add_parser("train", help="make a model as the built-in one was made"))
    _completion(commands.add_parser("completion", help="print the script with which a shell completes commands"))
    _bench(commands.add_parser("bench", help="measure, in a checkout of the source"))
    return top, commands.choices


def _complete(command: argparse.ArgumentParser) -> None:
    command.description = "Suggest what comes next at a place, checked against the names in scope and the syntax."
    command.epilog = (
        "--batch reads one JSON object per line, {id, file, line, column, text?, controller?}, and answers in the same "
        "order, each as soon as it is there; `text` stands for what is on disk. See docs/answers.md."
    )
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument("place", nargs="?", type=place, metavar="FILE:LINE:COLUMN", help="where the cursor is")
    where.add_argument("--batch", metavar="IN.jsonl|-", help="answer many places, loading the model once")
    options.workspace(command)
    options.json(command)
    command.add_argument(
        "--explain", action="store_true", help="tell for each token what was refused, and by which rule"
    )
    options.model(command)
    wanted = command.add_argument_group("suggestion")
    wanted.add_argument("--extent", choices=[*map(str, Extent)], default=str(Extent.AUTO), help="how much to suggest")
    wanted.add_argument(
        "--max-tokens", type=values.tokens, default=64, metavar="N", help=f"1 to {values.MOST_TOKENS} (default: 64)"
    )
    wanted.add_argument(
        "--eagerness",
        choices=[*map(str, Eagerness)],
        help="show only what an editor shows unasked with this setting (default: whatever is accepted)",
    )
    wanted.add_argument("--deadline-ms", type=values.positive, metavar="MS", help="offer what is complete by then")
    wanted.add_argument(
        "--imports", choices=IMPORTS, default="auto", help="use names that must be imported, and tell the import's edit"
    )
    wanted.add_argument("--no-constraint", action="store_true", help="let the model say whatever it likes")
    wanted.add_argument(
        "--no-prior", action="store_true", help="do not make more probable what the file and the workspace say again"
    )
    wanted.add_argument(
        "--controller", type=Path, metavar="FILE", help="a program (.js, .py, .wasm), asked at each token"
    )
    wanted.add_argument(
        "--params", type=values.json_object, default={}, metavar="JSON", help="an object that the program is given"
    )
    wanted.add_argument(
        "--workspace-controllers",
        action="store_true",
        help="run the programs that the workspace brings (.inscope/controllers), as you trust it",
    )
    options.sampling(command)


def _verify(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Ask TypeScript 7 or ty which new errors a document would have with a text in it. Nothing is changed."
    )
    command.epilog = (
        "--batch reads one JSON object per line, {id, file, line, column, text?, insert, replaces?}, and answers in "
        "the same order; `text` stands for what is on disk. See docs/verification.md."
    )
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument("place", nargs="?", type=place, metavar="FILE:LINE:COLUMN", help="where the text would be put")
    where.add_argument("--batch", metavar="IN.jsonl|-", help="verify many texts, starting each checker once")
    command.add_argument("--text", metavar="TEXT", help="what is to stand at the place")
    command.add_argument(
        "--replaces", type=values.count_from_zero, default=0, metavar="N",
        help="so many characters after the place give way to it (default: 0)",
    )  # fmt: skip
    options.workspace(command)
    options.json(command)


def _rewrite(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Change a file as an instruction says; the model reads it. The text itself is the draft: what stays is "
        "verified, not generated. Nothing outside of the region is changed, and a result with a new error is none. "
        "Files in other languages than ours are held to nothing. 'rename OLD to NEW' and --rename are the language's "
        "own checker's, over all files of the project, and need no model."
    )
    command.epilog = (
        "The region: --lines; else what the instruction names of the functions and classes that the file declares; "
        "else all. --batch reads one JSON object per line, {id, file, text?, instruction|rename, lines?, draft?}, and "
        "answers in the same order; a line's draft is a text. See docs/rewriting.md."
    )
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("file", nargs="?", metavar="FILE", help="what is changed")
    what.add_argument("--batch", metavar="IN.jsonl|-", help="rewrite many files, loading the model once")
    change = command.add_mutually_exclusive_group()
    change.add_argument("--instruction", metavar="TEXT", help="what is to change")
    change.add_argument("--rename", type=values.renaming, metavar="OLD=NEW", help="call a name otherwise, everywhere")
    command.add_argument("--lines", type=values.lines, metavar="A:B", help="only these lines, counted from 1")
    command.add_argument(
        "--draft", default="file", metavar="file|none|PATH",
        help="what the file, or with --lines those, are expected to become (default: the text as it is)",
    )  # fmt: skip
    options.prediction(command)
    options.workspace(command)
    shown = command.add_argument_group("result").add_mutually_exclusive_group()
    shown.add_argument("--diff", action="store_true", help="show what would change (the default)")
    shown.add_argument("--write", action="store_true", help="change the file, and those that a rename changes")
    options.json(shown)
    command.add_argument(
        "--force", action="store_true", help="with --write, also what breaks other files or is probably not meant"
    )
    command.add_argument(
        "--show-draft", action="store_true", help="show which tokens were accepted, rejected and extra"
    )
    command.add_argument("--html", type=Path, metavar="FILE", help="write the same as a page")
    command.add_argument(
        "--explain", action="store_true", help="in JSON, also the forwards, and what a failed attempt wrote"
    )
    options.model(command)
    command.add_argument("--no-constraint", action="store_true", help="let the model say whatever it likes")
    command.add_argument("--deadline-ms", type=values.positive, metavar="MS", help="give up then")
    options.sampling(command)


def _generate(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Have the model write what a program allows. A program is a .js, .mjs or .py file made of combinators of "
        "syntax; it writes the language that it is written in. It reaches no files and no network."
    )
    command.add_argument("--program", type=Path, required=True, metavar="FILE", help="the program")
    command.add_argument(
        "--params", type=values.json_object, default={}, metavar="JSON", help="an object that the program is given"
    )
    command.add_argument(
        "--prompt", dest="said", default="", metavar="TEXT", help="what the model is told, as a comment"
    )
    command.add_argument(
        "--context", type=place, metavar="FILE:LINE:COLUMN",
        help="where the text will stand: its names are known, and the text is held to them, to the syntax there and to "
        "what the language's own checker accepts",
    )  # fmt: skip
    command.add_argument("--no-constraint", action="store_true", help="hold the text to the program alone")
    options.workspace(command)
    options.json(command)
    command.add_argument("--trace", action="store_true", help="tell for each token what the model wanted")
    options.model(command)
    command.add_argument(
        "--max-tokens", type=values.tokens, default=256, metavar="N",
        help="then the text is brought to its end in the shortest way (default: 256)",
    )  # fmt: skip
    command.add_argument(
        "--draft", dest="predicted", metavar="FILE", help="what the text is expected to be: sooner there, the same text"
    )
    options.prediction(command)
    options.sampling(command)


def _lower(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Turn a program into a grammar for engines that take nothing else. What the grammar cannot say is told on "
        "standard error."
    )
    command.add_argument("program", type=Path, metavar="FILE", help="the program")
    command.add_argument(
        "--to", choices=("ebnf", "lark", "gbnf"), default="ebnf", help="the grammar's format (default: ebnf)"
    )
    command.add_argument(
        "--params", type=values.json_object, default={}, metavar="JSON", help="an object that the program is given"
    )
    command.add_argument("--context", type=place, metavar="FILE:LINE:COLUMN", help="where the text will stand")
    options.workspace(command)
    options.json(command)


def _symbols(command: argparse.ArgumentParser) -> None:
    command.description = (
        "List the names in scope at a place with their types, innermost first, and what can be imported."
    )
    command.add_argument("place", type=place, metavar="FILE:LINE:COLUMN", help="where the names would be used")
    command.add_argument("--prompt", action="store_true", help="show what the model sees of other files there")
    command.add_argument(
        "--model", type=values.model, metavar="NAME|PATH", help="with --prompt: which model (default: the built-in one)"
    )
    options.workspace(command)
    options.json(command)


def _index(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Read a workspace as the language server would; say what was found and what was left out, and why."
    )
    command.add_argument(
        "directory",
        nargs="?",
        type=values.directory,
        default=Path(),
        metavar="DIR",
        help="the workspace (default: here)",
    )
    command.add_argument("--skipped", action="store_true", help="name every file that was left out, and say why")
    command.add_argument(
        "--watch",
        action="store_true",
        help="go on, and tell of each file that changes, until Ctrl+C (exit code 130)",
    )
    options.json(command)


def _lsp(command: argparse.ArgumentParser) -> None:
    command.description = "Run the language server. Editors start it; it speaks over standard input and output."
    channel = command.add_mutually_exclusive_group()
    channel.add_argument("--stdio", action="store_true", help="standard input and output (the default)")
    channel.add_argument("--tcp", type=values.address, metavar="HOST:PORT", help="listen there for one editor")


def _setup(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Install TypeScript 7, which checks JavaScript and TypeScript, and QuickJS, which runs programs in JavaScript, "
        "in the versions that this Inscope pins, into your data folder. npm downloads them; their hashes are checked. "
        "What is installed already stays."
    )
    what = command.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="install nothing; exit code 1 if something is missing")
    what.add_argument("--remove", action="store_true", help="remove what was installed")
    what.add_argument(
        "--from", dest="source", type=values.directory, metavar="DIR",
        help="take the archives that 'npm pack' made from DIR, without a network",
    )  # fmt: skip
    options.json(command)


def _doctor(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Check Python, the model, the parsers and the optional tools; exit code 1 if one fails that is needed."
    )
    options.json(command)


def _train(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Train a fill-in-the-middle model on the permissively licensed source that is installed on this machine. "
        "Everything goes into one directory; the same command goes on from where it was stopped."
    )
    command.add_argument("--out", type=values.directory, required=True, metavar="DIR", help="the session's directory")
    command.add_argument(
        "--root", dest="roots", type=Path, action="append", default=[], metavar="DIR",
        help="a node_modules, a site-packages or Python's library; may be repeated (default: this Python's)",
    )  # fmt: skip
    command.add_argument(
        "--prior", action="store_true",
        help="fit the weights of the prior over names instead, DIR/weights.json (needs 'inscope[train]')",
    )  # fmt: skip
    command.add_argument(
        "--ngrams", action="store_true",
        help="fit what n-gram counts are worth beside a model instead, DIR/ngrams.json (needs 'inscope[train]')",
    )  # fmt: skip
    command.add_argument(
        "--calibration", action="store_true",
        help="fit how probable suggestions are to be right instead, DIR/calibration.json (needs 'inscope[train]')",
    )  # fmt: skip
    command.add_argument(
        "--from",
        dest="start",
        type=Path,
        metavar="MODEL",
        help="begin with its weights; of a prior, n-grams and a calibration: the model beside them",
    )
    command.add_argument(
        "--size", choices=SIZES, help="of the model (default: 6M; with --from, its own, or one of more layers)"
    )
    command.add_argument("--tokens", type=values.millions, default=20_000_000, metavar="N", help="in all, such as 20e6")
    command.add_argument(
        "--length", type=values.tokens, default=512, metavar="N", help="tokens of a sequence (default: 512)"
    )
    command.add_argument(
        "--batch-size", type=values.tokens, default=8, metavar="N", help="sequences of a step (default: 8)"
    )
    command.add_argument("--device", dest="train_device", choices=DEVICES[1:], default="cpu", help="(default: cpu)")
    command.add_argument(
        "--share", type=values.probability, default=1.0, metavar="X",
        help="with --from: of the result's weights, the rest is those begun with (0.5 forgets little; default: 1)",
    )  # fmt: skip
    command.add_argument(
        "--holes", type=values.probability, default=1.0, metavar="X",
        help="share of the texts to fill in (fewer leave more to rewrites; default: 1)",
    )  # fmt: skip
    command.add_argument("--seed", type=values.count_from_zero, metavar="N", help="same seed, same model (default: 0)")
    options.json(command)


def _completion(command: argparse.ArgumentParser) -> None:
    command.description = "Print the script with which a shell completes the commands and options of inscope."
    command.epilog = (
        'bash: eval "$(inscope completion bash)" in ~/.bashrc. '
        "zsh: inscope completion zsh > DIR/_inscope, with a DIR of $fpath. "
        "fish: inscope completion fish > ~/.config/fish/completions/inscope.fish."
    )
    command.add_argument("shell", choices=SHELLS, help="the shell")


def _bench(command: argparse.ArgumentParser) -> None:
    command.description = "Run a benchmark of a source checkout by its name; without a name, list them."
    command.add_argument("name", nargs="?", metavar="NAME", help="a benchmark, or 'all'")
    command.add_argument("rest", nargs=argparse.REMAINDER, metavar="...", help="options of the benchmark")
