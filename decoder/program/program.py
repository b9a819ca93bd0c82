"""A program that is ready to be run: as a constraint, or as a grammar for engines that take nothing else.

`generation` and the command line make programs and ask them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from context_index.symbols import Language, SymbolContext
from decoder.controller.protocol import LANGUAGES, Controller
from decoder.errors import ProgramError
from decoder.program.combinators import EMPTY, Main
from decoder.program.constraint import ProgramConstraint
from decoder.program.dialects import DIALECTS
from decoder.program.lowering import Lowered, Lowering
from decoder.program.pattern import AwaitedStep, Cat, Pattern
from decoder.program.place_expressions import PlaceExpressions
from decoder.program.python_function import PythonFunction
from decoder.program.roles import Role
from decoder.program.runner import Runner
from decoder.program.spelling import Speller

_MOST_STEPS = 10_000
"""The most parts that a program may await one after another."""
_MOST_REMEMBERED = 4096
"""The most steps whose patterns are cached: drafts and backtracking ask for the same ones again."""


class Program:
    """One program. Close one that came from a file: it holds a worker.

    Args:
        language: The language of what it writes.
        symbols: The names in scope where its text will be inserted; None if there is no such place.
    """

    def __init__(self, runner: Runner, language: Language, symbols: SymbolContext | None = None) -> None:
        self.language = language
        self._runner = runner
        self._speller = Speller(language, None if symbols is None else PlaceExpressions(symbols))
        self._steps: dict[tuple[str, ...], Pattern | None] = {}
        """The answers of `step`, by history."""

    @classmethod
    def of(cls, main: Main, symbols: SymbolContext | None = None) -> Program:
        """A program that is an `async def` of this process."""
        return cls(PythonFunction(main), Language.PYTHON, symbols)

    @classmethod
    def load(cls, path: Path, *, params: Mapping[str, Any] = EMPTY, symbols: SymbolContext | None = None) -> Program:
        """The program of a file, .js, .mjs or .py; it writes the language that it is written in.

        Raises:
            ProgramError: the file cannot be read, or the program cannot be run.
        """
        try:
            source = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise ProgramError("the program is not UTF-8") from error
        except OSError as error:
            raise ProgramError(f"the program cannot be read: {error.strerror or error}") from error
        return cls.read(path.name, source, params=params, symbols=symbols)

    @classmethod
    def read(
        cls, name: str, source: str, *, params: Mapping[str, Any] = EMPTY, symbols: SymbolContext | None = None
    ) -> Program:
        """The program of a file that has been read.

        Args:
            name: The file's name, whose suffix says in which language it is.

        Raises:
            ProgramError: it cannot be run.
        """
        language = LANGUAGES.get(Path(name).suffix)
        if language is None:
            raise ProgramError("this is no program: programs are .js, .mjs and .py files")
        from decoder.program.program_file import ProgramFile  # noqa: PLC0415 - only programs from files need workers

        return cls(ProgramFile(Controller(language, source, params, name)), language, symbols)

    def constraint(self, prefix: str = "") -> ProgramConstraint:
        """The state before the first character.

        Args:
            prefix: Text that is written before the program's.

        Raises:
            ProgramError: the program throws before it writes anything, or allows nothing.
        """
        return ProgramConstraint.of(self.step, prefix)

    def step(self, history: tuple[str, ...], before: Role | None) -> Pattern | None:
        """The pattern of the program's next step; None where the program is over.

        Args:
            history: The texts written for the steps so far.
            before: The role of the last step that wrote something; None at the beginning.

        Raises:
            ProgramError: the program throws, does not end, or awaits something that is no part.
        """
        if history not in self._steps:
            if len(history) > _MOST_STEPS:
                raise ProgramError(f"the program goes on for more than {_MOST_STEPS} steps")
            if len(self._steps) > _MOST_REMEMBERED:
                self._steps.clear()
            awaited = self._runner.after(history)
            if awaited is None:
                self._steps[history] = None
            else:
                separator, pattern, role = self._speller.step(awaited.node, before)
                self._steps[history] = Cat((separator, AwaitedStep(history, pattern, role)))
        return self._steps[history]

    def lowered(self, to: str) -> Lowered:
        """All that the program may write, as a grammar.

        Args:
            to: The name of one of `DIALECTS`.

        Raises:
            ProgramError: the program has too many ways to go on, or never ends.
        """
        self._runner.watch()
        return Lowering(self._runner.after, self._speller).lower(DIALECTS[to]())

    def close(self) -> None:
        """Give back the worker that runs the program, if it has one."""
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()
