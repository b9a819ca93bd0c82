"""The command line's shape: what is understood, what is refused and in which words."""

from __future__ import annotations

import pytest

from decoder.models import loading
from lsp_server.cli import main
from lsp_server.cli.entry import COMMANDS
from lsp_server.cli.parser import SIZES, parse
from lsp_server.cli.values import place
from lsp_server.engine import suggestion
from lsp_server.engine.wire.file_place import FilePlace
from training import recipe

PLACES = [
    ("src/cart.js:12:5", FilePlace("src/cart.js", 12, 5)),
    ("a b.py:1:1", FilePlace("a b.py", 1, 1)),
    (r"C:\shop\cart.js:3:7", FilePlace(r"C:\shop\cart.js", 3, 7)),
    ("C:/shop/cart.js:3:7", FilePlace("C:/shop/cart.js", 3, 7)),
    (r"\\server\share\cart.js:3:7", FilePlace(r"\\server\share\cart.js", 3, 7)),
    ("odd:name.py:3:7", FilePlace("odd:name.py", 3, 7)),
    ("2:3.py:4:5", FilePlace("2:3.py", 4, 5)),
    ("cart.js:0:0", FilePlace("cart.js", 0, 0)),  # a place all the same; whether it exists is for the text to say
]


@pytest.mark.parametrize(("written", "meant"), PLACES)
def test_place(written: str, meant: FilePlace) -> None:
    assert place(written) == meant
    assert place(str(meant)) == meant


MISTAKES = {
    "complete cart.js": "expected FILE:LINE:COLUMN, such as src/cart.js:12:5, not 'cart.js'",
    "complete cart.js:12": "expected FILE:LINE:COLUMN",
    r"complete C:\cart.js:12": "expected FILE:LINE:COLUMN",
    "complete :1:2": "expected FILE:LINE:COLUMN",
    "complete cart.js:1:-2": "expected FILE:LINE:COLUMN",
    "complete cart.js:x:2": "expected FILE:LINE:COLUMN",
    "complete cart.js:1:²": "expected FILE:LINE:COLUMN",
    "complete": "one of the arguments FILE:LINE:COLUMN --batch is required",
    "complete a.js:1:1 --batch -": "not allowed with argument",
    "complete a.js:1:1 --temperature hot": "expected a number from 0 to 100, not 'hot'",
    "complete a.js:1:1 --temperature nan": "expected a number from 0 to 100",
    "complete a.js:1:1 --temperature -1": "expected a number from 0 to 100",
    "complete a.js:1:1 --top-p 0": "expected a number above 0 and at most 1",
    "complete a.js:1:1 --top-p 1.5": "expected a number above 0 and at most 1",
    "complete a.js:1:1 --max-tokens 0": "expected a whole number from 1 to 2048, not '0'",
    "complete a.js:1:1 --max-tokens 2049": "expected a whole number from 1 to 2048, not '2049'",
    "complete a.js:1:1 --max-tokens 5_0": "expected a whole number from 1 to 2048",
    f"complete a.js:1:1 --max-tokens {'9' * 5000}": "expected a whole number from 1 to 2048",
    f"complete a.js:1:1 --seed {'9' * 5000}": "expected a whole number from 0",
    "complete a.js:1:1 --deadline-ms inf": "expected a number above 0",
    "complete a.js:1:1 --seed 1.5": "expected a whole number from 0",
    "complete a.js:1:1 --device tpu": "invalid choice: 'tpu'",
    "complete a.js:1:1 --model=": "expected a directory or a hub name",
    "complete a.js:1:1 --extent page": "invalid choice: 'page'",
    "complete a.js:1:1 --extent lin": "invalid choice: 'lin'; did you mean 'line'? see 'inscope complete --help'",
    "complete a.js:1:1 --frobnicate": "unrecognized arguments: --frobnicate; see",
    "complete a.js:1:1 --jsn": "unrecognized arguments: --jsn; did you mean '--json'? see 'inscope complete --help'",
    "complete a.js:1:1 --extnt=line": "unrecognized arguments: --extnt=line; did you mean '--extent'? see",
    "complet a.js:1:1": "there is no command 'complet'; did you mean 'complete'? see 'inscope --help'",
    "cook": "argument COMMAND: invalid choice: 'cook' (choose from 'complete', ",
    "lsp --tcp 4711": "expected HOST:PORT, such as 127.0.0.1:4711",
    "lsp --tcp host:99999": "expected HOST:PORT",
    "lsp --stdio --tcp host:1": "not allowed with argument",
    "symbols": "the following arguments are required: FILE:LINE:COLUMN",
    "rewrite a.js": "say what is to change",
    "rewrite a.js --instruction=": "say what is to change",
    "rewrite --batch - --write": "--write is for one file, not for --batch",
    "rewrite a.js --instruction x --lines 0:4": "expected two lines such as 10:20, not '0:4'",
    "verify a.js:1:1": "give the text to insert with --text TEXT",
    "generate": "the following arguments are required: --program",
    "generate --program a.py --params [1]": "expected a JSON object",
    "lower a.py --to yacc": "invalid choice: 'yacc'",
    "completion csh": "invalid choice: 'csh'",
    "": "the following arguments are required: COMMAND",
}


@pytest.mark.parametrize("line", MISTAKES, ids=lambda line: line[:60])
def test_mistake(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    assert MISTAKES[line] in said.err
    assert "--help'" in said.err


NOT_OPTIONS = {
    "complete a.js:1:1": "complete",
    "verify a.js:1:1": "verify",
    "rewrite a.js": "rewrite",
    "generate --program a.py": "generate",
    "lower a.py": "lower",
    "symbols a.js:1:1": "symbols",
    "index": "index",
    "lsp": "lsp",
    "setup": "setup",
    "doctor": "doctor",
    "models": "models",
    "stats": "stats",
    "train --out out": "train",
    "completion bash": "completion",
    "bench": "bench",
}
"""Each command with what it needs."""


@pytest.mark.parametrize("line", NOT_OPTIONS)
def test_an_unknown_option_is_reported_with_the_help_in_which_the_known_ones_stand(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*line.split(), "--nope"]) == 2
    assert (
        capsys.readouterr().err == f"error: unrecognized arguments: --nope; see 'inscope {NOT_OPTIONS[line]} --help'\n"
    )
    assert main(["--nope", *line.split()]) == 2
    assert capsys.readouterr().err == "error: unrecognized arguments: --nope; see 'inscope --help'\n"


def test_every_command_is_asked_for_an_option_that_it_has_not() -> None:
    assert sorted(NOT_OPTIONS.values()) == sorted(COMMANDS)


@pytest.mark.parametrize(
    "line", ["index", "symbols a.js:1:1 --workspace", "complete a.js:1:1 --workspace", "train --out"]
)
def test_an_empty_directory_is_not_the_current_one(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable of the shell that is not set leaves an empty argument: all of a home would be read."""
    assert main([*line.split(), ""]) == 2
    assert "expected a directory; '.' is the current one" in capsys.readouterr().err


UNDERSTOOD = {
    "complete a.js:1:1 --temperature 0.0": ("temperature", 0.0),
    "complete a.js:1:1 --temperature 1e-3": ("temperature", 0.001),
    "complete a.js:1:1 --top-p 1": ("top_p", 1.0),
    "complete a.js:1:1 --seed 0": ("seed", 0),
    "complete --batch -": ("batch", "-"),
    "complete --batch - --max-tokens 1": ("max_tokens", 1),
    "complete --batch - --max-tokens 2048": ("max_tokens", 2048),
    "lsp --tcp 127.0.0.1:0": ("tcp", ("127.0.0.1", 0)),
    "lsp --tcp [::1]:4711": ("tcp", ("::1", 4711)),
    "lsp --stdio": ("tcp", None),
    "bench latency --json": ("rest", ["--json"]),
    "models use --json built-in": ("name", "built-in"),
    "models --json use built-in": ("json", True),
    "models --json": ("name", None),
}


@pytest.mark.parametrize("line", UNDERSTOOD)
def test_understood(line: str) -> None:
    understood = parse(line.split())
    name, value = UNDERSTOOD[line]
    assert getattr(understood, name) == value


@pytest.mark.parametrize("command", ["", "complete", "symbols", "index", "lsp", "doctor", "bench"])
def test_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--help"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"usage: inscope {command}".rstrip())
    assert said.err == ""


def test_devices_and_number_types_are_those_of_the_loader() -> None:
    """They are written down twice, as `--help` must not wait for the loader's imports."""
    assert (suggestion.DEVICES, suggestion.DTYPES) == (loading.DEVICES, loading.DTYPES)
    assert tuple(recipe.SIZES) == SIZES
