"""An instance of WebAssembly: its memory, capped, and calls of its functions, which stop it if they come back late.

Nothing here interrupts a call that does not come back: the host ends the process. Having wasmtime do it, by epochs that
each loop compares, costs a fifth of all that runs.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn, TypeVar

import wasmtime

from decoder.controller.calls import Call, call_of
from decoder.errors import ProgramError

_WASM_STACK_BYTES = 1 << 20
_Result = TypeVar("_Result")


@cache
def engine() -> wasmtime.Engine:
    """What runs WebAssembly, the same for all programs."""
    config = wasmtime.Config()
    config.max_wasm_stack = _WASM_STACK_BYTES
    config.cache = True  # compiling takes a second; wasmtime keeps the result, and knows whether it still fits
    return wasmtime.Engine(config)


class Guest:
    """One instance. Once it was stopped by force, nothing runs in it.

    Args:
        instantiate: Makes its exports in a store.
        memory_bytes: Hard limit.
        deadline_s: Seconds that each call from outside may take.
    """

    def __init__(
        self, instantiate: Callable[[wasmtime.Store], Any], *, memory_bytes: int, deadline_s: float,
        instances: int = 1, tables: int = 1,
    ) -> None:  # fmt: skip
        self.deadline_s = deadline_s
        self._stopped = ""
        self._calls: dict[str, Call] = {}
        self._store = wasmtime.Store(engine())
        self._store.set_limits(memory_size=memory_bytes, instances=instances, tables=tables, memories=1)
        self._start_clock()
        self._exports = self._run(instantiate, self._store)
        self._memory: Any = self._exports.get("memory")

    def _start_clock(self) -> None:
        """From now on all time counts."""
        self._until = time.monotonic() + self.deadline_s

    def _guarded(self, name: str, *arguments: int) -> int:
        """Call what may run the program, in the time that is left."""
        return self._run(self._call(name), *arguments)

    def _raw(self, name: str, *arguments: int) -> int:
        return self._call(name)(*arguments)

    def _call(self, name: str) -> Call:
        if (call := self._calls.get(name)) is None:
            call = self._calls[name] = call_of(self._store, self._exports[name], name)
        return call

    def _run(self, does: Callable[..., _Result], *arguments: Any) -> _Result:  # noqa: ANN401 - whatever it takes
        """Have something done in the time that is left.

        Whoever comes back late is stopped: where QuickJS notices that the time is over (`host_interrupt`), it drops the
        job that it runs without a word, and an endless chain of promises would look as if it had ended.
        """
        if self._stopped:
            raise ProgramError(self._stopped)
        try:
            result = does(*arguments)
        except wasmtime.Trap as trap:
            self._stop(str(trap).rpartition("wasm trap: ")[2].strip())
        except (wasmtime.WasmtimeError, TypeError) as error:
            self._stop(str(error).splitlines()[0])
        if time.monotonic() >= self._until:
            self._stop(f"it ran for more than {self.deadline_s:g} s")
        return result

    def _stop(self, why: str) -> NoReturn:
        self._stopped = f"the program was stopped: {why}"
        raise ProgramError(self._stopped) from None

    def _base(self) -> int:
        return ctypes.addressof(self._memory.data_ptr(self._store).contents)

    def _put(self, place: int, data: bytes) -> None:
        ctypes.memmove(self._base() + place, data, len(data))

    def _get(self, place: int, size: int) -> bytes:
        return ctypes.string_at(self._base() + place, size)
