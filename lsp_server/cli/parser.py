"""The command line's parser; imports nothing heavy, so that help and errors appear at once.

`configured` calls `parse`, which reads a command line. The manual and the shells' completion read `parsers`. Below
them, one function for each command, with its name (`_complete`), adds the description and the options. These functions
have the order of `inscope --help`, and the options in them that of the command's own help. `options` has the options
that several commands share. `values` reads an option's value, and says what is wrong with it. The value becomes the
field of `Arguments` with the option's name, or with the name `dest`.

A new command needs such a function here, and its module a row in `entry.COMMANDS`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from lsp_server.cli import options, values
from lsp_server.cli.arguments import Arguments
from lsp_server.cli.mistyped import did_you_mean
from lsp_server.engine.suggestion import DEVICES, Eagerness, Extent

SIZES = ("toy", "3M", "6M", "8M", "12M", "20M")
"""The same as in `training.recipe`, which a test checks."""
IMPORTS = ("auto", "off")
SHELLS = ("bash", "zsh", "fish")


class Parser(argparse.ArgumentParser):
    """Reports an error in one sentence instead of a page of usage."""

    is_intermixed = False
    """Whether an option may come between two arguments that are no options: `models use --json NAME`. Python 3.11 and
    most 3.12 refuse that otherwise."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - argparse's own types
        """See `argparse.ArgumentParser`."""
        if not self.is_intermixed:
            return super().parse_known_args(args, namespace)
        self.is_intermixed = False  # `parse_known_intermixed_args` calls this function
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.is_intermixed = True

    def error(self, message: str) -> NoReturn:
        """Print the message and exit with code 2."""
        self.exit(2, f"error: {message}{'' if message.endswith('?') else ';'} see '{self.prog} --help'\n")

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """Report options that do not exist, with the one that was probably meant, and exit with code 2."""
        options = [option for option in self._option_string_actions if len(option) > len("-h")]
        meant = did_you_mean(words[0].partition("=")[0], options)
        self.error(f"unrecognized arguments: {' '.join(words)}{meant}")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """For a mistyped choice, name the one that was probably meant instead of listing all."""
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
        """Print the version and exit."""
        from lsp_server.version import version  # noqa: PLC0415 - a third of the time of --help

        print(f"inscope {version()}")  # noqa: T201 - the command's output
        parser.exit()


def parse(argv: Sequence[str], defaults: Mapping[str, object] = {}) -> Arguments:
    """Parse a command line; `argv` is without the program's name.

    Args:
        defaults: Values for options that the command line leaves out, by their names in `Arguments`.

    Raises:
        SystemExit: it was not understood, and the error has been printed; or help or the version was printed.
    """
    top, commands = _parsers_for(argv)
    for command in commands.values():
        command.set_defaults(**defaults)
    parsed: tuple[Arguments, list[str]] = top.parse_known_args(argv, namespace=Arguments())
    arguments, unknown = parsed
    if unknown:  # argparse itself would point to the program's help, which does not have the command's options
        parser = commands[arguments.command] if argv[0] == arguments.command else top  # `top` if it came before
        parser.unknown(unknown)
    return arguments


def _parsers_for(argv: Sequence[str]) -> tuple[Parser, Mapping[str, Parser]]:
    """What a command line needs of `parsers`; if it begins with a command, no other's, which would take 9 ms."""
    first = argv[0] if argv else None
    top, commands = parsers(first)
    return (top, commands) if first in commands else parsers()


def parsers(only: str | None = None) -> tuple[Parser, Mapping[str, Parser]]:
    """The parser of the whole command line, and those of the commands by their names.

    Args:
        only: The one command that there is a parser for; None stands for all commands.
    """
    top = Parser(
        prog="inscope",
        description="Completes code with a local model that is limited to names in scope. "
        "FILE:LINE:COLUMN counts from 1, columns in characters; the cursor is before that column.",
        epilog="exit codes: 0 done, 1 the request failed, 2 the command was not understood, 130 interrupted",
    )
    top.add_argument("--version", action=ShowVersion, nargs=0, help="print the version and the commit")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)

    def add(name: str, options: Callable[[Parser], None], summary: str) -> None:
        if only is None or name == only:
            options(commands.add_parser(name, help=summary))

    add("complete", _complete, "suggest what comes next at a place")
    add("verify", _verify, "ask the language's compiler whether a text may be inserted at a place")
    add("rewrite", _rewrite, "change a file as an instruction says")
    add("generate", _generate, "let the model write a text as a program allows")
    add("lower", _lower, "turn a program into a grammar for other engines")
    add("symbols", _symbols, "list the names in scope at a place")
    add("index", _index, "read a workspace and report what was found and what was skipped")
    add("lsp", _lsp, "run the language server, for editors")
    add("setup", _setup, "install what pip does not install: TypeScript 7 and QuickJS")
    add("doctor", _doctor, "check that everything needed is installed and works")
    add("models", _models, "list the models that there are, and choose one")
    add("stats", _stats, "show how often suggestions were taken, and what that changes")
    add("train", _train, "train a model as the built-in one was trained")
    add("completion", _completion, "print a shell's completion script")
    add("bench", _bench, "run benchmarks, in a checkout of the source")
    return top, commands.choices


def _complete(command: argparse.ArgumentParser) -> None:
    command.description = "Suggest what comes next at a place, checked against the names in scope and the syntax."
    command.epilog = (
        "--batch reads one JSON object per line, {id, file, line, column, text?, controller?}, and answers in the same "
        "order, each as soon as it is ready; `text` is read instead of the file. See docs/answers.md in the source."
    )
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument("place", nargs="?", type=values.place, metavar="FILE:LINE:COLUMN", help="where the cursor is")
    where.add_argument("--batch", metavar="IN.jsonl|-", help="answer many places, loading the model once")
    options.workspace(command)
    options.json(command)
    command.add_argument(
        "--explain", action="store_true", help="show for each token what was refused, and by which rule"
    )
    options.model(command)
    _suggestion(command.add_argument_group("suggestion"))
    options.sampling(command)


def _suggestion(wanted: argparse._ActionsContainer) -> None:
    """Add which suggestion `complete` looks for, and what takes part in it."""
    wanted.add_argument(
        "--extent", choices=[*map(str, Extent)], default=str(Extent.AUTO), help="how much to suggest (default: auto)"
    )
    wanted.add_argument(
        "--max-tokens", type=values.tokens, default=64, metavar="N", help=f"1 to {values.MOST_TOKENS} (default: 64)"
    )
    wanted.add_argument(
        "--eagerness",
        choices=[*map(str, Eagerness)],
        help="show only what an editor would show by itself with this setting (default: whatever is accepted)",
    )
    wanted.add_argument(
        "--deadline-ms", type=values.positive, metavar="MS", help="return the best suggestion found by then"
    )
    wanted.add_argument(
        "--imports",
        choices=IMPORTS,
        default="auto",
        help="auto uses names that must be imported, and returns the import's edit (default: auto)",
    )
    wanted.add_argument("--no-constraint", action="store_true", help="do not restrict what the model writes")
    wanted.add_argument(
        "--no-prior", action="store_true", help="ignore how often names and texts occur in the file and the workspace"
    )
    wanted.add_argument(
        "--controller",
        type=Path,
        metavar="FILE",
        help="a controller (.js, .py): code that is called for each token",
    )
    options.params(wanted)
    wanted.add_argument(
        "--workspace-controllers",
        action="store_true",
        help="run the controllers of --workspace (its .inscope/controllers), as you trust it",
    )


def _verify(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Ask the checker of the file's language (TypeScript 7, ty or clangd) which new errors inserting a text would "
        "cause; where there is none, only syntax is judged. No file is changed."
    )
    command.epilog = (
        "--batch reads one JSON object per line, {id, file, line, column, text?, insert, replaces?}, and answers in "
        "the same order; `text` is read instead of the file. See docs/verification.md in the source."
    )
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "place", nargs="?", type=values.place, metavar="FILE:LINE:COLUMN", help="where the text would be inserted"
    )
    where.add_argument("--batch", metavar="IN.jsonl|-", help="verify many texts, starting each checker once")
    command.add_argument("--text", metavar="TEXT", help="the text to insert")
    command.add_argument(
        "--replaces", type=values.count_from_zero, default=0, metavar="N",
        help="how many characters after the place it replaces (default: 0)",
    )  # fmt: skip
    options.workspace(command)
    options.json(command)


def _rewrite(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Change a file as an instruction says; the model interprets it. The file's text is the draft: what stays is "
        "verified, not generated. Nothing outside the region is changed, and a result with a new error is rejected. "
        "Files in languages without a checker are not checked. For 'rename OLD to NEW' and --rename the language's own "
        "checker renames in all files of the project, without a model; where it may leave a use, it says so and fails."
    )
    command.epilog = (
        "The region: --lines; else the functions and classes of the file that the instruction names; else the whole "
        "file. --batch reads one JSON object per line, {id, file, text?, instruction|rename, lines?, draft?, all?, "
        "force?}, and answers in the same order; a line's draft is a text. See docs/rewriting.md in the source."
    )
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("file", nargs="?", metavar="FILE", help="the file to change")
    what.add_argument("--batch", metavar="IN.jsonl|-", help="rewrite many files, loading the model once")
    what.add_argument("--resume", action="store_true", help="finish the write that was interrupted in the workspace")
    what.add_argument("--undo", action="store_true", help="take back the write that was interrupted in the workspace")
    _change(command)
    options.prediction(command)
    options.workspace(command)
    _result(command)
    options.model(command)
    command.add_argument("--no-constraint", action="store_true", help="do not restrict what the model writes")
    command.add_argument("--deadline-ms", type=values.positive, metavar="MS", help="give up after this time")
    options.sampling(command)


def _change(command: argparse.ArgumentParser) -> None:
    """Add what `rewrite` changes, and where."""
    change = command.add_mutually_exclusive_group()
    change.add_argument("--instruction", metavar="TEXT", help="what to change, in words")
    change.add_argument("--rename", type=values.renaming, metavar="OLD=NEW", help="rename a name everywhere")
    command.add_argument("--lines", type=values.lines, metavar="A:B", help="only these lines, counted from 1")
    command.add_argument(
        "--at", type=values.line_and_column, metavar="LINE:COLUMN", help="for a rename: the place of the name, from 1"
    )
    command.add_argument(
        "--all",
        action="store_true",
        help="for a rename: also where it may be the name, such as after an untyped receiver, or where nothing uses it",
    )
    command.add_argument(
        "--draft", default="file", metavar="file|none|PATH",
        help="the expected text of the file, or with --lines of those lines (default: the text as it is)",
    )  # fmt: skip


def _result(command: argparse.ArgumentParser) -> None:
    """Add what becomes of the result of `rewrite`."""
    shown = command.add_argument_group("result").add_mutually_exclusive_group()
    shown.add_argument("--diff", action="store_true", help="show what would change (the default)")
    shown.add_argument("--write", action="store_true", help="change the file, and those that a rename changes")
    options.json(shown)
    command.add_argument(
        "--force",
        action="store_true",
        help="take a result that breaks other files, may not be right everywhere or is the built-in model's",
    )
    command.add_argument(
        "--follow",
        action="store_true",
        help="with --write: also change files that have several names (hard links), under all of them, and files that "
        "a link in the workspace leads to outside of it",
    )
    command.add_argument(
        "--show-draft", action="store_true", help="show which tokens were accepted, rejected and extra"
    )
    command.add_argument("--html", type=Path, metavar="FILE", help="write the result as an HTML page")
    command.add_argument(
        "--explain", action="store_true", help="in JSON, also the forwards and the texts of failed attempts"
    )


def _generate(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Let the model write a text as a program allows. A program is a .js, .mjs or .py file made of syntax "
        "combinators; the text is in the language of the program. A program has no access to files or a network."
    )
    command.add_argument("--program", type=Path, required=True, metavar="FILE", help="the program")
    options.params(command)
    command.add_argument(
        "--prompt", dest="comment", default="", metavar="TEXT", help="a comment for the model above the text"
    )
    command.add_argument(
        "--context", type=values.place, metavar="FILE:LINE:COLUMN",
        help="where the text will be inserted: it is held to the names and the syntax there, and to what the "
        "language's own checker accepts",
    )  # fmt: skip
    command.add_argument("--no-constraint", action="store_true", help="hold the text to the program only")
    options.workspace(command)
    options.json(command)
    command.add_argument("--trace", action="store_true", help="show for each token the model's favourite")
    options.model(command)
    command.add_argument(
        "--max-tokens", dest="program_tokens", type=values.tokens, default=256, metavar="N",
        help="after so many tokens the text is ended in the shortest way (default: 256)",
    )  # fmt: skip
    command.add_argument(
        "--draft",
        dest="predicted",
        metavar="FILE",
        help="the expected text; it makes writing faster and does not change the result",
    )
    options.prediction(command)
    options.sampling(command)


def _lower(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Turn a program into a grammar for engines that only take grammars. What the grammar only approximates is "
        "reported on standard error."
    )
    command.add_argument("program", type=Path, metavar="FILE", help="the program")
    command.add_argument(
        "--to", choices=("ebnf", "lark", "gbnf"), default="ebnf", help="the grammar's format (default: ebnf)"
    )
    options.params(command)
    command.add_argument(
        "--context", type=values.place, metavar="FILE:LINE:COLUMN", help="where the text will be inserted"
    )
    options.workspace(command)
    options.json(command)


def _symbols(command: argparse.ArgumentParser) -> None:
    command.description = (
        "List the names in scope at a place with their types, innermost first, and what can be imported."
    )
    command.add_argument("place", type=values.place, metavar="FILE:LINE:COLUMN", help="where the names would be used")
    command.add_argument("--prompt", action="store_true", help="show what the model would see of other files")
    command.add_argument(
        "--model", type=values.model, metavar="NAME|PATH", help="with --prompt: which model (default: the built-in one)"
    )
    options.workspace(command)
    options.json(command)


def _index(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Read a workspace as the language server would; report what was found and what was skipped, and why."
    )
    command.add_argument(
        "directory",
        nargs="?",
        type=values.directory,
        default=Path(),
        metavar="DIR",
        help="the workspace (default: the current directory)",
    )
    command.add_argument("--skipped", action="store_true", help="list what was skipped, each with the reason")
    command.add_argument(
        "--watch",
        action="store_true",
        help="go on and report each file that changes, until Ctrl+C (exit code 130)",
    )
    options.json(command)


def _lsp(command: argparse.ArgumentParser) -> None:
    command.description = "Run the language server. Editors start it and communicate over standard input and output."
    channel = command.add_mutually_exclusive_group()
    channel.add_argument("--stdio", action="store_true", help="standard input and output (the default)")
    channel.add_argument("--tcp", type=values.address, metavar="HOST:PORT", help="listen there for one editor")


def _setup(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Install TypeScript 7 (28 MB), which checks JavaScript and TypeScript, and where the extra 'programs' is "
        "installed QuickJS (2 MB), which runs programs in JavaScript, in the versions that this Inscope pins, into "
        "your data folder. npm downloads them; their hashes are checked. "
        "Parts that are installed already are kept."
    )
    what = command.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="install nothing; exit code 1 if something is missing")
    what.add_argument("--remove", action="store_true", help="remove what was installed")
    what.add_argument(
        "--from", dest="source", type=values.directory, metavar="DIR",
        help="use the archives in DIR that 'npm pack' made; needs no network",
    )  # fmt: skip
    options.json(command)


def _doctor(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Show the model, the checkers, the settings and where they come from, and sizes on disk; exit code 1 if "
        "something that is needed does not work."
    )
    command.add_argument(
        "--deep", action="store_true",
        help="also load the model, complete a line, and ask each checker a question; takes some seconds",
    )  # fmt: skip
    command.add_argument(
        "--workspace", type=values.directory, metavar="DIR", help="the workspace (default: the current directory)"
    )
    options.json(command)


def _models(command: Parser) -> None:
    command.is_intermixed = True
    command.description = (
        "List the models on this machine (the built-in one, and those in the caches of Hugging Face, llama.cpp, Ollama "
        "and LM Studio), and some that may be fetched. 'use NAME' makes one the model of all editors and commands, in "
        "your own configuration file. Nothing is fetched."
    )
    command.epilog = "A model of the hub is fetched at its first use. See docs/models.md in the source."
    command.add_argument("action", nargs="?", choices=("use",), metavar="use", help="choose the model NAME")
    command.add_argument(
        "name", nargs="?", type=values.model, metavar="NAME",
        help="as --model takes it: a name of the list, a folder, a GGUF file or a server; or 'built-in'",
    )  # fmt: skip
    options.json(command)


def _stats(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Show how many suggestions editors showed unasked, how many of them came to be in the document, how many "
        "should have by their probabilities, and from which probability on each setting of eagerness shows them now."
    )
    command.add_argument("--delete", action="store_true", help="delete the counts")
    options.json(command)


def _train(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Train a fill-in-the-middle model on the permissively licensed source that is installed on this machine. "
        "Everything goes into one directory; after an interruption the same command continues."
    )
    command.add_argument("--out", type=values.directory, required=True, metavar="DIR", help="the session's directory")
    command.add_argument(
        "--root", dest="roots", type=Path, action="append", default=[], metavar="DIR",
        help="a node_modules, a site-packages or Python's library; may be repeated (default: this Python's)",
    )  # fmt: skip
    _fits(command)
    _training(command)
    options.json(command)


def _fits(command: argparse.ArgumentParser) -> None:
    """Add what `train` fits in place of a model."""
    command.add_argument(
        "--prior", action="store_true",
        help="fit the weights of the prior over names instead, DIR/weights.json",
    )  # fmt: skip
    command.add_argument(
        "--ngrams", action="store_true",
        help="fit how much n-gram counts weigh beside a model instead, DIR/ngrams.json",
    )  # fmt: skip
    command.add_argument(
        "--calibration", action="store_true",
        help="fit how probable suggestions are to be right instead, DIR/calibration.json "
        "(needs a checkout)",
    )  # fmt: skip


def _training(command: argparse.ArgumentParser) -> None:
    """Add how `train` trains a model."""
    command.add_argument(
        "--from",
        dest="start",
        type=Path,
        metavar="MODEL",
        help="begin with its weights; with --ngrams and --calibration: the model to fit for",
    )
    command.add_argument(
        "--size",
        choices=SIZES,
        help="size of the model (default: 6M; with --from, that model's, or one with more layers)",
    )
    command.add_argument(
        "--tokens", type=values.large_count, default=20_000_000, metavar="N", help="tokens to train on (default: 20e6)"
    )
    command.add_argument(
        "--length", type=values.tokens, default=512, metavar="N", help="tokens in a sequence (default: 512)"
    )
    command.add_argument(
        "--batch-size", type=values.tokens, default=8, metavar="N", help="sequences in a step (default: 8)"
    )
    command.add_argument(
        "--device", dest="train_device", choices=DEVICES[1:], default="cpu", help="where to train (default: cpu)"
    )
    command.add_argument(
        "--workers", type=values.count_from_zero, default=0, metavar="N",
        help="processes that make examples, for a GPU that waits for them (default: none beside this one)",
    )  # fmt: skip
    command.add_argument(
        "--share", type=values.probability, default=1.0, metavar="X",
        help="with --from: share of the new weights in the result, the rest is the old ones (0.5 forgets "
        "little; default: 1)",
    )  # fmt: skip
    command.add_argument(
        "--holes", type=values.probability, default=1.0, metavar="X",
        help="share of the corpus that is used as text and holes; less leaves more to rewrites (default: 1)",
    )  # fmt: skip
    command.add_argument("--seed", type=values.count_from_zero, metavar="N", help="same seed, same model (default: 0)")


def _completion(command: argparse.ArgumentParser) -> None:
    command.description = "Print a script that lets a shell complete the commands and options of inscope."
    command.epilog = (
        'bash: eval "$(inscope completion bash)" in ~/.bashrc. '
        "zsh: inscope completion zsh > DIR/_inscope, with a DIR of $fpath. "
        "fish: inscope completion fish > ~/.config/fish/completions/inscope.fish."
    )
    command.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS), help="the shell")


def _bench(command: argparse.ArgumentParser) -> None:
    command.description = "Run a benchmark of a source checkout by its name; without a name, list them."
    command.add_argument("name", nargs="?", metavar="NAME", help="a benchmark, or 'all'")
    command.add_argument("rest", nargs=argparse.REMAINDER, metavar="...", help="options of the benchmark")
