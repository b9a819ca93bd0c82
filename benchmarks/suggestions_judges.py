"""Judges of files with a suggestion in them: `tsc -p`, `ty check`, `node --check` and `compile`, as separate processes.

A file is judged before and after the suggestion, and as its authors left it. An error is new if the file has it neither
before the suggestion nor intact, and if it touches the suggestion: if it is on a line of what the text became part of,
its extent. An error of syntax is new wherever it is, as a parser notices it later than where it was made; right after
the extent it touches the suggestion, too. An error of syntax elsewhere in a file that did not parse before does not
touch the suggestion, and is counted apart: a parser reports only the first of several faults, so another one may now be
the first.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.documents import reported_errors
from benchmarks.verification_judges import errors_of
from context_index import Syntax, Workspace, path_of
from lsp_server.engine.verification import Candidate
from lsp_server.engine.verification.applied import Applied

_SYNTAX_OF_TSC = re.compile(r"1\d{3}")
"""Codes of TypeScript's syntax errors. While a file of a project has such an error, `tsc -p` reports none of types."""
_NODE = re.compile(r"^(?P<file>.+?):(?P<line>\d+)$", re.MULTILINE)
_NODE_ERROR = re.compile(r"^(?P<message>\w*Error: .*)$", re.MULTILINE)
_COMPILE = """
import json, sys, warnings
warnings.simplefilter("ignore")
for path in sys.argv[1:]:
    try:
        compile(open(path, "rb").read(), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        print(json.dumps([path, getattr(error, "lineno", None) or 1, str(getattr(error, "msg", error))]))
"""

Lines = Mapping[tuple[str, str], Sequence[int]]
"""The errors of a file: by code and message, the lines on which they are, from 1."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A file before and after a suggestion."""

    name: str
    """The name of the place."""
    file: str
    """The path within the project."""
    before: str
    """The text without the suggestion, with which errors are compared."""
    after: str
    extent: tuple[tuple[int, int], ...]
    """First and last lines, from 1, of each stretch that the text became part of."""
    around: tuple[tuple[int, int], ...]
    """First and last lines of each stretch and the token after it, where a parser notices what a statement lacks."""
    reported: tuple[tuple[str, str], ...] = ()
    """Code and message of each error that the checker's server reports of the file before. `tsc -p` would report no
    errors of types of a file that does not parse."""

    def touches(self, line: int, code: str) -> bool:
        """Whether an error touches what the text became part of."""
        stretches = self.around if is_syntax(code) else self.extent
        return any(first <= line <= last for first, last in stretches)


@dataclass(frozen=True, slots=True)
class Error:
    """A new error in the finished file."""

    judge: str
    """`tsc`, `ty`, `node` or `compile`."""
    code: str
    message: str
    line: int
    """In the file after the suggestion, from 1."""
    touches: bool = True
    """False for an error of syntax elsewhere, in a file that did not parse before."""


def finished(name: str, root: Path, syntax: Syntax, candidate: Candidate, workspace: Workspace) -> Finished:
    """What the judges need of a file with a suggestion and the edits that it brings; asks the checker's server."""
    document, path = syntax.document, path_of(syntax.document.uri)
    assert path is not None  # noqa: S101 - it was read from there
    applied = Applied(syntax, candidate)
    after = applied.document.text
    extent, around = lines_around(applied)
    errors = reported_errors(document, workspace)
    reported = tuple((error.code, error.message.partition("\n")[0]) for error in errors)
    return Finished(name, path.relative_to(root).as_posix(), document.text, after, extent, around, reported)


def lines_around(applied: Applied) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """The fields `extent` and `around` of `Finished`, for a text that is applied to a document."""
    after = applied.document.text
    with_next = [(start, applied.next_token(end)) for start, end in applied.extent]
    extent, around = (
        tuple((_line(after, start), _line(after, _last_sign(after, start, end))) for start, end in stretches)
        for stretches in (applied.extent, with_next)
    )
    return extent, around


class JudgedProject:
    """A project and a copy of it, in which the judges look at changed files."""

    def __init__(self, root: Path, scratch: Path, *, is_python: bool) -> None:
        self._root, self._copy, self._is_python = root, scratch / root.name, is_python
        shutil.copytree(root, self._copy, symlinks=True)
        self._intact = self._types()

    def new_errors(self, files: Sequence[Finished]) -> Iterator[tuple[Finished, tuple[Error, ...]]]:
        """Each file and its new errors.

        Many files, of different paths, are judged together in one run of the checker. Only those in which that finds
        anything wrong are judged again, one at a time.
        """
        waiting: dict[str, list[Finished]] = defaultdict(list)
        for file in files:
            waiting[file.file].append(file)
        while any(waiting.values()):
            together = [queue.pop() for queue in waiting.values() if queue]
            suspects = self._suspects(together)
            for file in together:
                yield file, self._judge_alone(file) if file.name in suspects else ()

    def _suspects(self, together: Sequence[Finished]) -> set[str]:
        """The names of the files in which anything is wrong.

        A file with an error of syntax hides the type errors of all others from `tsc`. So such files are restored, and
        the checker runs again, until no syntax error is left.
        """
        self._write({each.file: each.after for each in together})
        try:
            syntax = self._syntax([each.file for each in together])
            suspects = {each.name for each in together if syntax.get(each.file)}
            self._restore(each.file for each in together if each.name in suspects)
            while True:
                types = self._types()
                torn = {
                    each.name
                    for each in together
                    if each.name not in suspects
                    and any(_SYNTAX_OF_TSC.fullmatch(code) for code, _ in types.get(each.file, {}))
                }
                if self._is_python or not torn:
                    break
                suspects |= torn
                self._restore(each.file for each in together if each.name in torn)
            for each in together:
                more = _more(types.get(each.file, {}), self._intact.get(each.file, {}))
                if any(each.touches(line, code) or is_syntax(code) for (code, _), line in more):
                    suspects.add(each.name)
        finally:
            self._restore(each.file for each in together)
        return suspects

    def _judge_alone(self, file: Finished) -> tuple[Error, ...]:
        """The new errors of one file, with all others intact."""
        before, after = self._errors_with(file, file.before), self._errors_with(file, file.after)
        self._restore([file.file])
        intact = self._intact.get(file.file, {}), self._syntax([file.file]).get(file.file, {})
        reported: dict[tuple[str, str], list[int]] = defaultdict(list)
        for key in file.reported:
            reported[key].append(0)  # the line does not matter, only how many there are
        judges = ("ty" if self._is_python else "tsc"), ("compile" if self._is_python else "node")
        errors = []
        for number, judge in enumerate(judges):
            known: dict[tuple[str, str], Sequence[int]] = {}
            for known_errors in (before[number], intact[number], reported):
                for key, lines in known_errors.items():
                    known[key] = max(known.get(key, ()), lines, key=len)
            was_torn = any(is_syntax(code) for code, _ in (*before[number], *reported))
            for (code, message), line in _more(after[number], known):
                touches = file.touches(line, code)
                if touches or is_syntax(code):
                    errors.append(Error(judge, code, message, line, touches or not was_torn))
        return tuple(errors)

    def _errors_with(self, file: Finished, text: str) -> tuple[Lines, Lines]:
        """The errors of types and of syntax in a file of the copy that has a text."""
        self._write({file.file: text})
        return self._types().get(file.file, {}), self._syntax([file.file]).get(file.file, {})

    def _types(self) -> Mapping[str, Lines]:
        """By file: the errors that `tsc -p` or `ty check` reports."""
        return errors_of(self._copy)

    def _syntax(self, files: Sequence[str]) -> Mapping[str, Lines]:
        """By file: the first error that `compile` or `node --check` reports; TypeScript's files have none here."""
        if self._is_python:
            output = self._run(sys.executable, "-I", "-c", _COMPILE, *files).stdout
            errors = (json.loads(line) for line in output.splitlines())
            return {file: {("syntax", message): [line]} for file, line, message in errors}
        by_file: dict[str, Lines] = {}
        for file in files:
            if file.endswith(("ts", "tsx")):
                continue
            process = self._run("node", "--check", str((self._copy / file).resolve()))
            place, error = _NODE.search(process.stderr), _NODE_ERROR.search(process.stderr)
            if process.returncode and place and error:
                by_file[file] = {("syntax", error["message"]): [int(place["line"])]}
        return by_file

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self._copy, capture_output=True, text=True, check=False)  # noqa: S603 - judges

    def _write(self, texts: Mapping[str, str]) -> None:
        for file, text in texts.items():
            (self._copy / file).write_text(text, "utf-8", newline="")

    def _restore(self, files: Iterator[str] | Sequence[str]) -> None:
        for file in files:
            shutil.copy(self._root / file, self._copy / file)


def _more(after: Lines, before: Lines) -> Iterator[tuple[tuple[str, str], int]]:
    """The errors of which there are more than before: code and message, with each line on which they are now."""
    for key, lines in after.items():
        if len(lines) > len(before.get(key, ())):
            yield from ((key, line) for line in lines)


def is_syntax(code: str) -> bool:
    """Whether a code is that of a syntax error, of any of the judges."""
    return code in ("syntax", "invalid-syntax") or _SYNTAX_OF_TSC.fullmatch(code) is not None


def _last_sign(text: str, start: int, end: int) -> int:
    """The offset of the last character between two offsets that is not white space.

    The white space after a header is on the line of its body, which is no part of the header.
    """
    return max(start, start + len(text[start:end].rstrip()) - 1)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
