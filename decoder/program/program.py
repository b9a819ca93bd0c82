"""A program that is ready to be run: as a constraint, or as a grammar for engines that take nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Protocol, Self

from context_index.symbols import Language, SymbolContext
from decoder.program.combinators import Main, PythonFunction
from decoder.program.constraint import ProgramConstraint
from decoder.program.expressions import PlaceExpressions
from decoder.program.grammars import Dialect, Ebnf, Gbnf, Lark
from decoder.program.lowering import Lowered, Lowering, Ways
from decoder.program.nodes import Awaited, Context, ProgramError, Role, role_of
from decoder.program.pattern import Cat, Pattern, Step
from decoder.program.spelling import Speller

_EMPTY: Mapping[str, Any] = MappingProxyType({})
SUFFIXES = (".js", ".mjs", ".py")
"""The suffixes of programs' files."""
_NO_PROGRAM = "this is no program: programs are .js, .mjs and .py files"
_MOST_STEPS = 10_000
_REMEMBERED = 4096


class Runner(Protocol):
    """What runs a program."""

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """The part that is awaited once these texts have been written; None where the program is over.

        Raises:
            ProgramError: the program throws, loops or waits for something else.
        """

    def watched(self) -> Runner:
        """One that knows of each part where it is awaited, and whether the program may look at what was written."""

    def close(self) -> None:
        """It is not asked any more."""


class Program:
    """One program. It must be closed, if it came from a file.

    Args:
        language: Of what it writes.
        symbols: What is in scope where its text will stand.
    """

    def __init__(self, runner: Runner, language: Language, symbols: SymbolContext | None = None) -> None:
        self.language = language
        self._runner = runner
        self._speller = Speller(language.is_python, None if symbols is None else PlaceExpressions(symbols))
        self._steps: dict[tuple[str, ...], tuple[Pattern | None, Role | None]] = {}

    @classmethod
    def of(cls, main: Main, *, params: Mapping[str, Any] = _EMPTY, symbols: SymbolContext | None = None) -> Program:
        """A program of this process: an `async def`."""
        return cls(PythonFunction(main, params), Language.PYTHON, symbols)

    @classmethod
    def load(cls, path: Path, *, params: Mapping[str, Any] = _EMPTY, symbols: SymbolContext | None = None) -> Program:
        """The program of a file, .js, .mjs or .py; it writes the language that it is written in.

        Raises:
            ProgramError: there is none, or it cannot be run.
        """
        if path.suffix not in SUFFIXES:
            raise ProgramError(_NO_PROGRAM)
        try:
            source = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise ProgramError("the program is not UTF-8") from error
        except OSError as error:
            raise ProgramError(f"the program cannot be read: {error.strerror or error}") from error
        return cls.read(path.name, source, params=params, symbols=symbols)

    @classmethod
    def read(
        cls, name: str, source: str, *, params: Mapping[str, Any] = _EMPTY, symbols: SymbolContext | None = None
    ) -> Program:
        """The program of a file that has been read.

        Raises:
            ProgramError: it cannot be run.
        """
        if not name.endswith(SUFFIXES):
            raise ProgramError(_NO_PROGRAM)
        if name.endswith(".py"):
            return cls(_python(name, source, params), Language.PYTHON, symbols)
        return cls(_javascript(source, name, params), Language.JAVASCRIPT, symbols)

    @classmethod
    def javascript(
        cls, source: str, *, params: Mapping[str, Any] = _EMPTY, symbols: SymbolContext | None = None,
        name: str = "program.js",
    ) -> Program:  # fmt: skip
        """A program in JavaScript."""
        return cls(_javascript(source, name, params), Language.JAVASCRIPT, symbols)

    def constraint(self) -> ProgramConstraint:
        """The state before the first character.

        Raises:
            ProgramError: the program throws before it writes anything, or allows nothing.
        """
        return ProgramConstraint.of(self)

    def step(self, history: tuple[str, ...]) -> Pattern | None:
        """What is to be written after these steps; None where the program is over."""
        if history not in self._steps:
            if len(self._steps) > _REMEMBERED:
                self._steps.clear()
            self._steps[history] = self._step(history)
        return self._steps[history][0]

    def to_ebnf(self) -> Lowered:
        """In the notation of W3C's XML recommendation."""
        return self._lowered(Ebnf())

    def to_lark(self) -> Lowered:
        """In llguidance's dialect of Lark."""
        return self._lowered(Lark())

    def to_gbnf(self) -> Lowered:
        """As llama.cpp and XGrammar read it."""
        return self._lowered(Gbnf())

    def close(self) -> None:
        """Let go of what runs the program."""
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def _step(self, history: tuple[str, ...]) -> tuple[Pattern | None, Role | None]:
        if len(history) > _MOST_STEPS:
            raise ProgramError(f"the program goes on for more than {_MOST_STEPS} steps")
        before = self._role(history[:-1]) if history else None
        awaited = self._runner.after(history)
        if awaited is None:
            return None, before
        apart, pattern = self._speller.step(awaited.node, before)
        role = before if isinstance(awaited.node, Context) else role_of(awaited.node)
        return Cat((apart, Step(history, pattern))), role

    def _role(self, history: tuple[str, ...]) -> Role | None:
        self.step(history)
        return self._steps[history][1]

    def _lowered(self, dialect: Dialect) -> Lowered:
        """All ways in which the program may go on as one grammar.

        Raises:
            ProgramError: there are too many, or the program never ends.
        """
        return Lowering(self._speller).lower(Ways(self._runner.watched().after, self._speller).tree(), dialect)


def _python(name: str, source: str, params: Mapping[str, Any]) -> Runner:
    from decoder.program.python_file import PythonFile  # noqa: PLC0415 - only programs from files need workers

    return PythonFile(name, source, params)


def _javascript(source: str, name: str, params: Mapping[str, Any]) -> Runner:
    from decoder.program.javascript import JavaScript  # noqa: PLC0415 - only programs in JavaScript need wasmtime

    return JavaScript(source, name, params)
