"""What node, CPython and TypeScript say of a text that tree-sitter takes and the grammar engine does not.

They are asked about syntax alone: early errors, such as a name declared twice or `break` outside of loops, included;
types and names that nobody declares are not.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from context_index.checkers.programs import find_typescript
from context_index.parts import PartMissingError
from context_index.symbols import Language

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_index.checkers.programs import Program

_TESTS = Path(__file__).resolve().parents[1] / "tests"
"""Where `tests/install_node_packages.py` puts TypeScript."""
_GLOBALS = """
interface Array<T> {} interface Boolean {} interface CallableFunction {} interface Function {} interface IArguments {}
interface NewableFunction {} interface Number {} interface Object {} interface RegExp {} interface String {}
"""
"""Without these types TypeScript does not check anything; its whole library would cost half a second each time."""
_OPTIONS = ("--noEmit", "--noLib", "--noResolve", "--types", "", "--target", "esnext", "--module", "esnext")
_MODES = ("--jsx", "preserve", "--experimentalDecorators", "--allowJs", "--checkJs", "--pretty", "false")
_REMARK = re.compile(r"^text\.[\w.]+\(\d+,\d+\): error TS(\d+): ", re.MULTILINE)
_EARLY = frozenset(
    ["2300", "2357", "2364", "2392", "2393", "2406", "2451", "2480", "2487", "2491", "2660"]
) | frozenset(["2777", "2778", "2779", "2780", "2781"])
"""Early errors of ECMAScript that TypeScript numbers among those of its types."""
_SYNTAX = re.compile(r"1\d{3}|1[78]\d{3}")
_OF_SETTINGS = frozenset(["1375", "1378", "1431", "1432"])
"""`await` at the top of what may be a module, or may not."""
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")


def compiles(language: Language, text: str, path: Path | None = None) -> bool | None:
    """Whether a compiler of the language reads the text; None where there is none to ask.

    `path` is the file that the text is, or was: it tells declarations and JSX apart from programs. Without it the text
    compiles if any kind of file takes it.
    """
    judges = _judges(language, path)
    return any(judge(text) for judge in judges) if judges else None


def refuses(language: Language, text: str, path: Path, source: str | None = None) -> bool | None:
    """Whether the compilers refuse the text of a file; None where there is none to ask.

    Of a text that was made of `source`, the first compiler that reads the source decides; None where none does.
    """
    judges = _judges(language, path)
    if source is not None:
        judges = [judge for judge in judges if judge(source)][:1]
    return not any(judge(text) for judge in judges) if judges else None


def _judges(language: Language, path: Path | None) -> list[Callable[[str], bool]]:
    """Who reads files of this language; of JavaScript first node, which knows no JSX, then TypeScript, which does."""
    if language.is_python:
        return [_compiles_in_python]
    judges: list[Callable[[str], bool]] = []
    node, checker = shutil.which("node"), _typescript()
    if language is Language.JAVASCRIPT and node is not None:
        judges.append(partial(_compiles_in_node, node))
    if checker is not None and (language is not Language.JAVASCRIPT or path is not None):
        judges += [partial(_compiles_in_typescript, checker, suffix) for suffix in _suffixes(language, path)]
    return judges


def _compiles_in_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<text>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def _compiles_in_node(node: str, text: str) -> bool:
    return any(
        subprocess.run(  # noqa: S603 - the text is only parsed
            [node, f"--input-type={kind}", "--check", "-"], input=text, text=True, capture_output=True, check=False
        ).returncode
        == 0
        for kind in ("commonjs", "module")
    )


def _suffixes(language: Language, path: Path | None) -> tuple[str, ...]:
    """The kinds of files that a text may be."""
    if language is not Language.TYPESCRIPT:
        return (".tsx" if language is Language.TSX else ".jsx",)
    if path is None:
        return (".ts", ".d.ts")
    return (".d.ts" if path.name.endswith(_DECLARATIONS) else ".ts",)


def _compiles_in_typescript(checker: Program, suffix: str, text: str) -> bool:
    """Whether there is nothing wrong with the syntax of the text as a file of this kind."""
    with tempfile.TemporaryDirectory() as directory:
        file, declared = Path(directory) / f"text{suffix}", Path(directory) / "globals.d.ts"
        file.write_bytes(text.encode())
        declared.write_text(_GLOBALS)
        command = [checker.command[0], *_OPTIONS, *_MODES, declared.name, file.name]
        told = subprocess.run(  # noqa: S603 - TypeScript's compiler, which writes nothing
            command, capture_output=True, text=True, check=False, cwd=directory
        )
    codes = set(_REMARK.findall(told.stdout)) - _OF_SETTINGS
    return not any(code in _EARLY or _SYNTAX.fullmatch(code) for code in codes)


@cache
def _typescript() -> Program | None:
    """TypeScript 7, whose compiler and server are one program."""
    try:
        return find_typescript(None, (), trusted=False)
    except PartMissingError:
        return None
