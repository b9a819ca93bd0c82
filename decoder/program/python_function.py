"""Programs that are functions of this process: where one waits, and what becomes of the text that it waits for."""

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
from decoder.program.nodes import Awaited, Node, Runner


class PythonFunction(Runner):
    """A program that is an `async def` of this process: a worker, where the program came from a file.

    It is run from its beginning for each step, as a coroutine of Python cannot be rolled back; so it must do the same
    each time.
    """

    def __init__(self, main: Main, params: Mapping[str, Any] = EMPTY) -> None:
        self._main, self._params = main, params
        self._keys = RUN.keys  # after loading: each run of `main` counts on from here, so its blanks get the same keys

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """The part that is awaited once these texts have been written; None where the program is over."""
        RUN.keys = self._keys
        running = _begun(self._main, self._params)
        try:
            asked = running.send(None)
            for written in history:
                asked = running.send(written)
            place, used = _waiting(running)
        except StopIteration:
            return None
        finally:
            running.close()
        if not isinstance(asked, Node):
            raise ProgramError("the program waits for what never comes: only parts of the text can be awaited")
        return Awaited(asked, place, used)


def _begun(main: Main, params: Mapping[str, Any]) -> Coroutine[Any, Any, object]:
    wanted = main.__code__.co_argcount if hasattr(main, "__code__") else 0
    begun = main(params) if wanted else main()
    if not inspect.iscoroutine(begun):
        raise ProgramError("the program's main function must be an 'async def'")
    return begun


def _waiting(running: Any) -> tuple[str, bool]:  # noqa: ANN401 - a coroutine, of whose fields typeshed knows too little
    """The line at which the innermost coroutine waits, and whether the program may look at what is written there."""
    while inspect.iscoroutine(inner := running.cr_await):
        running = inner
    frame = running.cr_frame
    is_part = getattr(inner, "gi_code", None) is Part.__await__.__code__  # another awaitable may look at it itself
    used = not (is_part and _drops(frame.f_code, frame.f_lasti))
    return f"{PurePath(frame.f_code.co_filename).name}:{frame.f_lineno}", used


_AWAITING = frozenset({"RESUME", "JUMP_BACKWARD_NO_INTERRUPT", "END_SEND"})
"""CPython's instructions between the `yield` of an awaited part and the use of its value."""


@lru_cache(maxsize=256)
def _drops(code: CodeType, place: int) -> bool:
    """Whether the value of the `await` at a place of the code is not used."""
    following = (one.opname for one in dis.get_instructions(code) if one.offset > place)
    return next((name for name in following if name not in _AWAITING), "") == "POP_TOP"
