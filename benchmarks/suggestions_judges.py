"""Judges of files with a suggestion in them: `tsc -p`, `ty check`, `node --check` and `compile`, as separate processes.

A file is judged before and after the suggestion, and as its authors left it. An error counts that the file has neither
before the suggestion nor intact, and that is on a line of what the text became part of, its extent, or right after it.
An error of syntax counts wherever it is, since a parser notices it later than where it was made. Where the file parsed
neither before nor after, one elsewhere does not touch the text: of several slips a parser reports another one first.
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

from benchmarks.verification_judges import errors_of
from context_index import Syntax, Workspace, path_of
from lsp_server.engine.verification import Candidate
from lsp_server.engine.verification.candidate import Applied

_SYNTAX_OF_TSC = re.compile(r"1\d{3}")
"""While one file of a project has such an error, `tsc -p` says nothing of types."""
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
"""By code and message: the lines, counted from 1."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A file before and after a suggestion."""

    name: str
    """Of the place."""
    file: str
    """Relative to the project."""
    before: str
    after: str
    extent: tuple[tuple[int, int], ...]
    """First and last lines of what the text became part of, counted from 1."""
    around: tuple[tuple[int, int], ...]
    """The same with what comes next, where a parser notices what a statement lacks."""
    reported: tuple[tuple[str, str], ...] = ()
    """Code and message of what the checker's server says of the file before: `tsc -p` says nothing of types there where
    it does not parse."""

    def touches(self, line: int, code: str) -> bool:
        """Whether an error touches what the text became part of."""
        parts = self.around if is_syntax(code) else self.extent
        return any(first <= line <= last for first, last in parts)


@dataclass(frozen=True, slots=True)
class Error:
    """A new error in the finished file."""

    judge: str
    code: str
    message: str
    line: int
    """In the file after the suggestion."""
    touches: bool = True
    """False for one of syntax elsewhere, in a file that parsed neither before nor after."""


def finished(name: str, root: Path, syntax: Syntax, candidate: Candidate, workspace: Workspace) -> Finished:
    """The file with a suggestion and the edits that it brings."""
    document, path = syntax.document, path_of(syntax.document.uri)
    assert path is not None  # noqa: S101 - it was read from there
    applied = Applied(syntax, candidate)
    after = applied.document.text
    extent, around = lines_around(applied)
    said = workspace.checker_of(document).ask(document, lambda asked: asked.diagnostics()).result()
    reported = tuple((one.code, one.message.partition("\n")[0]) for one in said if one.is_error)
    return Finished(name, path.relative_to(root).as_posix(), document.text, after, extent, around, reported)


def lines_around(applied: Applied) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """First and last lines, from 1, of what a text became part of; and of the same with what comes next."""
    after = applied.document.text
    with_next = [(start, applied.next_token(end)) for start, end in applied.extent]
    extent, around = (
        tuple((_line(after, start), _line(after, _last_sign(after, start, end))) for start, end in parts)
        for parts in (applied.extent, with_next)
    )
    return extent, around


class JudgedProject:
    """A copy of a project, so that its files may be changed."""

    def __init__(self, root: Path, scratch: Path, *, is_python: bool) -> None:
        self._root, self._copy, self._is_python = root, scratch / root.name, is_python
        shutil.copytree(root, self._copy, symlinks=True)
        self._intact = self._types()

    def new_errors(self, files: Sequence[Finished]) -> Iterator[tuple[Finished, tuple[Error, ...]]]:
        """What each file has after its suggestion and had not; a run of a checker judges many files."""
        waiting: dict[str, list[Finished]] = defaultdict(list)
        for one in files:
            waiting[one.file].append(one)
        while any(waiting.values()):
            together = [queue.pop() for queue in waiting.values() if queue]
            suspects = self._suspects(together)
            for one in together:
                yield one, self._alone(one) if one.name in suspects else ()

    def _suspects(self, together: Sequence[Finished]) -> set[str]:
        """The names of those in which anything is wrong at all; errors of syntax hide those of others."""
        self._write({one.file: one.after for one in together})
        try:
            syntax = self._syntax([one.file for one in together])
            suspects = {one.name for one in together if syntax.get(one.file)}
            self._restore(one.file for one in together if one.name in suspects)
            while True:
                types = self._types()
                torn = {
                    one.name
                    for one in together
                    if one.name not in suspects
                    and any(_SYNTAX_OF_TSC.fullmatch(code) for code, _ in types.get(one.file, {}))
                }
                if self._is_python or not torn:
                    break
                suspects |= torn
                self._restore(one.file for one in together if one.name in torn)
            for one in together:
                more = _more(types.get(one.file, {}), self._intact.get(one.file, {}))
                if any(one.touches(line, code) or is_syntax(code) for (code, _), line in more):
                    suspects.add(one.name)
        finally:
            self._restore(one.file for one in together)
        return suspects

    def _alone(self, one: Finished) -> tuple[Error, ...]:
        """The errors of one file, with all others intact."""
        said = {}
        for which, text in (("before", one.before), ("after", one.after)):
            self._write({one.file: text})
            said[which] = self._types().get(one.file, {}), self._syntax([one.file]).get(one.file, {})
        self._restore([one.file])
        intact = self._intact.get(one.file, {}), self._syntax([one.file]).get(one.file, {})
        reported: dict[tuple[str, str], list[int]] = defaultdict(list)
        for key in one.reported:
            reported[key].append(0)
        judges = ("ty" if self._is_python else "tsc"), ("compile" if self._is_python else "node")
        found = []
        for number, judge in enumerate(judges):
            known: dict[tuple[str, str], Sequence[int]] = {}
            for side in (said["before"][number], intact[number], reported):
                for key, lines in side.items():
                    known[key] = max(known.get(key, ()), lines, key=len)
            was_torn = any(is_syntax(code) for code, _ in (*said["before"][number], *reported))
            for (code, message), line in _more(said["after"][number], known):
                touches = one.touches(line, code)
                if touches or is_syntax(code):
                    found.append(Error(judge, code, message, line, touches or not was_torn))
        return tuple(found)

    def _types(self) -> Mapping[str, Lines]:
        return errors_of(self._copy)

    def _syntax(self, files: Sequence[str]) -> Mapping[str, Lines]:
        """What `compile` or `node --check` says, which stop at a file's first error."""
        if self._is_python:
            told = self._run(sys.executable, "-I", "-c", _COMPILE, *files).stdout
            errors = (json.loads(line) for line in told.splitlines())
            return {file: {("syntax", message): [line]} for file, line, message in errors}
        found: dict[str, Lines] = {}
        for file in files:
            if file.endswith(("ts", "tsx")):
                continue
            done = self._run("node", "--check", str((self._copy / file).resolve()))
            at, error = _NODE.search(done.stderr), _NODE_ERROR.search(done.stderr)
            if done.returncode and at and error:
                found[file] = {("syntax", error["message"]): [int(at["line"])]}
        return found

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self._copy, capture_output=True, text=True, check=False)  # noqa: S603 - judges

    def _write(self, texts: Mapping[str, str]) -> None:
        for file, text in texts.items():
            (self._copy / file).write_text(text, "utf-8", newline="")

    def _restore(self, files: Iterator[str] | Sequence[str]) -> None:
        for file in files:
            shutil.copy(self._root / file, self._copy / file)


def _more(after: Lines, before: Lines) -> Iterator[tuple[tuple[str, str], int]]:
    """The errors of which there are more than before, at each of their lines."""
    for key, lines in after.items():
        if len(lines) > len(before.get(key, ())):
            yield from ((key, line) for line in lines)


def is_syntax(code: str) -> bool:
    """Whether an error is one wherever it is reported: a parser notices it later than where it was made."""
    return code in ("syntax", "invalid-syntax") or _SYNTAX_OF_TSC.fullmatch(code) is not None


def _last_sign(text: str, start: int, end: int) -> int:
    """White space is on no line: of a header, the blanks before its body are on the body's."""
    return max(start, start + len(text[start:end].rstrip()) - 1)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
