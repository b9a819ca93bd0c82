"""The command as a process: what it imports, how it ends, and what it leaves on the two streams."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp_server.forked import Forked

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
INSCOPE = [sys.executable, "-m", "lsp_server"]
PEOPLE_AND_PROGRAMS = [
    pytest.param((), id="people"),
    pytest.param(("--json",), id="programs"),
]

_BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
"""The environment in which standard output is written at the end, as it is where people do not ask otherwise."""


def run(*arguments: str, data: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*INSCOPE, *arguments], input=data, capture_output=True, cwd=ROOT, env=os.environ | environment, check=False
    )


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    with Forked() as commands:
        yield commands


def test_a_process_and_a_fork_answer_alike(forked: Forked) -> None:
    alone, together = run("symbols", "nowhere.py:1:1"), forked.run("symbols", "nowhere.py:1:1")
    assert (alone.returncode, alone.stdout, alone.stderr) == (together.returncode, together.stdout, together.stderr)


_TENSORS = {"torch", "transformers", "tokenizers", "numpy"}
_MODEL = {*_TENSORS, "decoder", "lsp_server.engine.service", "lsp_server.engine.model_host"}
_ANYTHING = {*_MODEL, "context_index", "tree_sitter", "rich", "psutil", "importlib.metadata"}
UNUSED = {
    "--help": _ANYTHING,
    "complete --help": _ANYTHING,
    "index --nope": _ANYTHING,
    "symbols tests/lsp_server/forked.py:20:1": _MODEL,
    "symbols tests/lsp_server/forked.py:20:1 --prompt --json": _MODEL,
    "index examples/programs": _MODEL,
    "index examples/programs --json": _MODEL,
    "complete examples/workspace/storefront/src/cart.js:35:12": {"decoder.models.server.client", "torch"},
}
"""What a command line may not import, as it does nothing with it: half of a second, and with tensors three. In an
order in which a line may import what the ones before it may."""


@pytest.fixture(scope="module")
def imported() -> dict[str, list[str]]:
    """What each line of `UNUSED` has imported that it may not, in one process that runs one after another."""
    script = (
        "import json, sys\nfrom lsp_server.cli import main\nfound = {}\n"
        f"for line, unused in {UNUSED!r}.items():\n    main(line.split())\n"
        "    found[line] = sorted(unused & set(sys.modules))\nprint(json.dumps(found))"
    )
    environment = {**os.environ, "INSCOPE_CACHE": ""}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("line", UNUSED)
def test_a_command_imports_only_what_it_needs(line: str, imported: dict[str, list[str]]) -> None:
    assert imported[line] == []


FAULTS = {
    "symbols nowhere.py:1:1": "there is no file 'nowhere.py'",
    "symbols tests:1:1": "'tests' is a directory",
    "symbols Makefile:1:1": "the language of 'Makefile' is not supported",
    "symbols lsp_server/errors.py:9999:1": "no line 9999",
    "symbols lsp_server/errors.py:1:1 --workspace nowhere": "the workspace 'nowhere' does not exist",
    "index Makefile": "the workspace 'Makefile' is not a directory",
    "complete --batch nowhere.jsonl": "cannot read 'nowhere.jsonl'",
    "complete --batch tests": "'tests' is a directory",
    "complete nowhere.py:1:1": "there is no file 'nowhere.py'",
    "train --out out --root nowhere": "there is no directory 'nowhere'",
    "train --out Makefile": "cannot make the directory 'Makefile': File exists",
    "lower nowhere.js": "there is no program 'nowhere.js'",
    "generate --program nowhere.js": "there is no program 'nowhere.js'",
    "generate --program tests": "'tests' is a directory",
    "complete lsp_server/errors.py:1:1 --controller nowhere.js": "there is no controller 'nowhere.js'",
    'complete lsp_server/errors.py:1:1 --params {"a":1}': "--params is for the controller that --controller names",
    "rewrite lsp_server/errors.py --instruction x --lines 9990:9991": "there is no line 9991",
    "rewrite lsp_server/errors.py --instruction x --draft nowhere.py": "there is no file 'nowhere.py'",
    f"symbols {'x' * 300}.py:1:1": "File name too long",
    f"complete --batch {'x' * 300}": "File name too long",
    f"complete lsp_server/errors.py:1:1 --controller {'x' * 300}.js": "File name too long",
    f"generate --program {'x' * 300}.js": "File name too long",
    f"index {'x' * 300}": "File name too long",
    "symbols no\u00a0\u2028where\x1b.py:1:1": r"there is no file 'no\xa0\u2028where\x1b.py'",
}


@pytest.mark.parametrize("line", FAULTS, ids=lambda line: line[:60])
def test_fault_is_one_sentence(line: str, forked: Forked) -> None:
    done = forked.run(*line.split(" "))
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"\n") == 1
    assert FAULTS[line] in done.stderr.decode()


@pytest.mark.parametrize(
    "line",
    [
        "complete nowhere.py:1:1", "symbols nowhere.py:1:1", "rewrite nowhere.py --instruction x", "index nowhere",
        "lower nowhere.js", "generate --program nowhere.js", "train --out out --root nowhere",
    ],
)  # fmt: skip
def test_fault_as_json(line: str, forked: Forked) -> None:
    done = forked.run(*line.split(), "--json")
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "file_not_found"
    assert done.stderr.decode() == f"error: {error['message']}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this platform has no device that is always full")
@pytest.mark.parametrize("json_too", PEOPLE_AND_PROGRAMS)
def test_no_room_for_the_answer(json_too: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*INSCOPE, "symbols", "lsp_server/errors.py:1:1", *json_too],
            stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b"error: cannot write: No space left on device; free some space and try again\n"


HELP = ("--help", "--version", "complete --help")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this platform has no device that is always full")
@pytest.mark.parametrize("line", HELP)
def test_no_room_for_the_help(line: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*INSCOPE, *line.split()], stdout=full, stderr=subprocess.PIPE, cwd=ROOT, env=_BUFFERED, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"error: cannot write: No space left on device; free some space and try again\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe without a reader is another error there")
@pytest.mark.parametrize("line", HELP)
def test_nobody_reads_the_help(line: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = subprocess.run(
            [*INSCOPE, *line.split()], stdout=pipe, stderr=subprocess.PIPE, cwd=ROOT, env=_BUFFERED, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX closes the stream")
@pytest.mark.parametrize(
    ("line", "stream"),
    [
        ("symbols lsp_server/errors.py:1:1 >&-", "output"),
        ("symbols lsp_server/errors.py:1:1 --json >&-", "output"),
        ("complete --batch - <&-", "input"),
    ],
)
def test_a_closed_stream_is_reported(line: str, stream: str) -> None:
    command = f"{shlex.join(INSCOPE)} {line}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: standard {stream} is closed".encode())
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("daemon", [True, False])
def test_threads_that_go_on_are_not_left_to_the_interpreters_end(daemon: bool) -> None:
    """Where C++ code is on a thread's stack, that would abort the process."""
    code = (
        "import atexit, threading; from lsp_server import cli; atexit.register(print, 'finalized');"
        f"threading.Thread(target=threading.Event().wait, args=({60 if daemon else 0},), daemon={daemon}).start();"
        "cli.main = lambda: print('answered') or 3; cli.run_process()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout.split()) == (3, ["answered"] if daemon else ["answered", "finalized"])


UNFORESEEN = {
    "a command whose module has no `run`": ("entry.COMMANDS['index'] = 'zipapp'", "an error in Inscope itself, "),
    "a package that is missing": (
        "sys.modules['lsp_server.settings.table'] = None",
        "Inscope's installation is broken, a package cannot be imported (import of lsp_server.settings.table",
    ),
}
"""They stand for whatever nobody foresaw, while a command runs and before."""


@pytest.mark.parametrize("asked", ["", "1"])
@pytest.mark.parametrize(("fault", "told"), UNFORESEEN.values(), ids=[*UNFORESEEN])
def test_unforeseen_fault_is_one_sentence(fault: str, told: str, asked: str) -> None:
    code = f"import sys; from lsp_server.cli import main, entry; {fault}; sys.exit(main(['index']))"
    environment = os.environ | {"INSCOPE_TRACEBACK": asked}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    assert done.returncode == 1
    *trace, sentence = done.stderr.splitlines()
    assert sentence.startswith(f"error: {told}")
    assert "INSCOPE_TRACEBACK=1" in sentence
    assert bool(trace) == bool(asked)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
def test_output_is_utf8_everywhere(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "größe.py"
    file.write_text("größe = 1\n", "utf-8")
    done = run("symbols", f"{file}:2:1", "--json", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert "größe" in [name["name"] for name in json.loads(done.stdout.decode("utf-8"))["names"]]


@pytest.mark.parametrize("form", PEOPLE_AND_PROGRAMS)
def test_reader_that_goes_away(form: tuple[str, ...]) -> None:
    """Output, and nobody who reads it."""
    with subprocess.Popen(
        [*INSCOPE, "symbols", "lsp_server/errors.py:1:1", *form],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows delivers Ctrl-C to a whole console")
def test_interrupt_is_quiet() -> None:
    with subprocess.Popen(
        [*INSCOPE, "complete", "--batch", "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"nonsense\n")
        process.stdin.flush()
        process.stdout.readline()  # it has come as far as waiting for the next line
        process.send_signal(signal.SIGINT)
        said = process.communicate()
    assert (process.returncode, said) == (130, (b"", b""))


def test_an_interrupt_while_the_command_is_imported_is_quiet() -> None:
    interrupted = (
        "import builtins, sys\n"
        "from lsp_server.cli import main\n"
        "known = builtins.__import__\n"
        "def importing(name, *rest, **named):\n"
        "    if name.startswith('lsp_server.cli'):\n"
        "        raise KeyboardInterrupt\n"
        "    return known(name, *rest, **named)\n"
        "builtins.__import__ = importing\n"
        "sys.exit(main([]))\n"
    )
    done = subprocess.run([sys.executable, "-c", interrupted], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
def test_who_types_the_servers_command_is_reported_and_can_leave() -> None:
    import pty  # noqa: PLC0415 - where there is none the test is skipped

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*INSCOPE, "lsp"], cwd=ROOT, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        greeting = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        os.close(theirs)
        said = process.communicate()
    os.close(ours)
    assert greeting.startswith(b"This is a language server for editors")
    assert (process.returncode, said) == (130, (b"", b""))
