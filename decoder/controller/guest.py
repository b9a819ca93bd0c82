"""An instance of WebAssembly: its memory, capped, and calls that take so long at most.

Time is kept by wasmtime's epochs, which interrupt any instruction.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn, TypeVar

import wasmtime

from decoder.controller.calls import Call, call_of
from decoder.controller.protocol import ScriptError
from decoder.controller.ticking import TICK_SECONDS, ticking

_WASM_STACK_BYTES = 1 << 20
_UNUSED = 1 << 40
"""Ticks: nothing runs, so nothing is interrupted."""
_Result = TypeVar("_Result")


@cache
def engine() -> wasmtime.Engine:
    """What runs WebAssembly, the same for all programs."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.max_wasm_stack = _WASM_STACK_BYTES
    config.cache = True  # compiling takes a second; wasmtime keeps the result, and knows whether it still fits
    return wasmtime.Engine(config)


class Guest:
    """One instance. After it was stopped by force nothing runs in it any more.

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

        Whoever comes back late is stopped, too: where QuickJS itself notices that the time is over (`host_interrupt`),
        it drops the job that it runs without a word, and an endless chain of promises would look as if it had ended.
        """
        if self._stopped:
            raise ScriptError(self._stopped)
        left = self._until - time.monotonic()
        self._store.set_epoch_deadline(max(1, int(left / TICK_SECONDS) + 1))
        try:
            with ticking(engine()):
                result = does(*arguments)
        except wasmtime.Trap as trap:
            if trap.trap_code is not wasmtime.TrapCode.INTERRUPT:
                self._stop(str(trap).rpartition("wasm trap: ")[2].strip())
            self._stop(f"it ran for more than {self.deadline_s:g} s")
        except (wasmtime.WasmtimeError, TypeError) as error:
            self._stop(str(error).splitlines()[0])
        finally:
            self._store.set_epoch_deadline(_UNUSED)
        if time.monotonic() >= self._until:
            self._stop(f"it ran for more than {self.deadline_s:g} s")
        return result

    def _stop(self, why: str) -> NoReturn:
        self._stopped = f"the program was stopped: {why}"
        raise ScriptError(self._stopped) from None

    def _base(self) -> int:
        return ctypes.addressof(self._memory.data_ptr(self._store).contents)

    def _put(self, place: int, data: bytes) -> None:
        ctypes.memmove(self._base() + place, data, len(data))

    def _get(self, place: int, size: int) -> bytes:
        return ctypes.string_at(self._base() + place, size)
