"""Programs that are functions of this process: runs them, and reports where they wait and whether they use the text."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Coroutine, Mapping
from functools import lru_cache
from pathlib import PurePath
from types import CodeType
from typing import Any

from decoder.errors import ProgramError
from decoder.program.combinators import EMPTY, RUN, Main, Part
from decoder.program.nodes import ProgramNode
from decoder.program.runner import Awaited, Runner


class PythonFunction(Runner):
    """A program that is an `async def` of this process. If the program came from a file, this process is a worker.

    It is run from its beginning for each step, since a coroutine of Python cannot be rolled back. So it must do the
    same each time.
    """

    def __init__(self, main: Main, params: Mapping[str, Any] = EMPTY) -> None:
        self._main, self._params = main, params
        self._keys = RUN.keys
        """The last key of a blank after loading: each run of `main` counts on from it, so blanks keep their keys."""

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """See `Runner`."""
        RUN.keys = self._keys
        running = _begin(self._main, self._params)
        try:
            awaited = running.send(None)
            for written in history:
                awaited = running.send(written)
            place, used = _waiting(running)
        except StopIteration:
            return None
        finally:
            running.close()
        if not isinstance(awaited, ProgramNode):
            raise ProgramError("the program waits for what never comes: only parts of the text can be awaited")
        return Awaited(awaited, place, used)


def _begin(main: Main, params: Mapping[str, Any]) -> Coroutine[Any, Any, object]:
    """A new run of a main function, which gets the parameters if it takes an argument."""
    takes_params = main.__code__.co_argcount if hasattr(main, "__code__") else 0
    coroutine = main(params) if takes_params else main()
    if not inspect.iscoroutine(coroutine):
        raise ProgramError("the program's main function must be an 'async def'")
    return coroutine


def _waiting(running: Any) -> tuple[str, bool]:  # noqa: ANN401 - a coroutine, of whose fields typeshed knows too little
    """Where the innermost coroutine waits, as `FILE:LINE`, and whether the program may use the text it waits for."""
    while inspect.iscoroutine(inner := running.cr_await):
        running = inner
    frame = running.cr_frame
    is_part = getattr(inner, "gi_code", None) is Part.__await__.__code__  # any other awaitable may look at the text
    used = not (is_part and _drops(frame.f_code, frame.f_lasti))
    return f"{PurePath(frame.f_code.co_filename).name}:{frame.f_lineno}", used


_AWAITING = frozenset({"RESUME", "JUMP_BACKWARD_NO_INTERRUPT", "END_SEND"})
"""CPython's instructions between the `yield` of an awaited part and the use of its value."""


@lru_cache(maxsize=256)
def _drops(code: CodeType, offset: int) -> bool:
    """Whether the value of the `await` at an offset of the code is not used."""
    following = (instruction.opname for instruction in dis.get_instructions(code) if instruction.offset > offset)
    return next((name for name in following if name not in _AWAITING), "") == "POP_TOP"
