"""A sandbox for JavaScript: QuickJS compiled to WebAssembly, run by wasmtime.

QuickJS itself is a part that `inscope setup` installs. A program sees the language and the modules that it is given: no
files and no network; the clock stands still and random numbers repeat, so the same program does the same with the same
input. Memory is limited, and QuickJS asks now and then whether the time is over. A program's whole state is in the
linear memory, so a copy of it is a snapshot to which the program can be taken back.

A call that comes back late stops the program. Where one does not come back, the host ends the process: having wasmtime
interrupt it, by epochs that each loop compares, costs a fifth of all that runs.
"""

from __future__ import annotations

import ctypes
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

import wasmtime

from context_index.parts import PartMissingError, find, part
from decoder.controller.protocol import MEMORY_BYTES
from decoder.controller.wasm_calls import Call, call_of
from decoder.errors import ProgramError

_MODULE = 1
"""`JS_EVAL_TYPE_MODULE`."""
_REJECTED = 2
"""The state of a promise."""
_STACK_BYTES = 256 * 1024
_WASM_STACK_BYTES = 1 << 20
_RESERVE_BYTES = 2 << 20
"""Between QuickJS' own limit, which raises an error in the program, and the host's, which ends it."""
_BAD_FILE, _NOT_SUPPORTED = 8, 52
"""Errors of WASI: `badf` and `nosys`."""
_I32 = wasmtime.ValType.i32
_I64 = wasmtime.ValType.i64


@dataclass(frozen=True, slots=True)
class MachineSnapshot:
    """A machine's whole state."""

    memory: bytes
    stack_pointer: int


@cache
def engine() -> wasmtime.Engine:
    """What runs WebAssembly, the same for all programs."""
    config = wasmtime.Config()
    config.max_wasm_stack = _WASM_STACK_BYTES
    config.cache = True  # compiling takes a second; wasmtime keeps the result, and knows whether it still fits
    return wasmtime.Engine(config)


@cache
def _quickjs() -> wasmtime.Module:
    try:
        file = find(part("quickjs")).path
        return wasmtime.Module(engine(), file.read_bytes())
    except (PartMissingError, OSError) as error:
        raise ProgramError(f"programs in JavaScript need QuickJS: {error}") from error
    except wasmtime.WasmtimeError as error:
        raise ProgramError(f"'{file}' is not WebAssembly; run 'inscope setup' to install it again") from error


class Machine:
    """One program's virtual machine. Once stopped by force it runs nothing, until a snapshot is restored.

    Args:
        modules: The sources that the program can import, by name.
        deadline_s: Seconds that each call from outside may take.
    """

    def __init__(self, modules: Mapping[str, str], *, deadline_s: float = 1.0) -> None:
        self._modules = modules
        self.deadline_s = deadline_s
        self._stopped = ""
        self._calls: dict[str, Call] = {}
        self._store = wasmtime.Store(engine())
        self._store.set_limits(memory_size=MEMORY_BYTES, instances=2, tables=1, memories=1)
        self._exports: Any = self._linker().instantiate(self._store, _quickjs()).exports(self._store)
        self._memory: Any = self._exports["memory"]
        self._raw("_initialize")
        if self._raw("qjs_init") != 0:
            raise ProgramError("the JavaScript machine could not be started")
        self._raw("qjs_set_memory_limit", MEMORY_BYTES - _RESERVE_BYTES)
        self._raw("qjs_set_max_stack_size", _STACK_BYTES)
        self._raw("qjs_set_interrupt_handler", 1)
        self._raw("qjs_set_module_loader", 1)

    def load(self, source: str, name: str) -> None:
        """Run a module to its end, or to where it waits for something from outside."""
        self._start_clock()
        promise = self._evaluate(source, name, _MODULE)
        self._settle()
        if self._guarded("qjs_promise_state", promise) == _REJECTED:
            self._raise(self._guarded("qjs_promise_result", promise))

    def ask(self, expression: str) -> str:
        """The value of an expression as text, once all jobs that it started are done."""
        self._start_clock()
        value = self._evaluate(expression, "<host>", 0)
        self._settle()
        return self._text(value)

    def snapshot(self) -> MachineSnapshot:
        """A copy of the machine's state, for `restore`."""
        size = self._memory.data_len(self._store)
        return MachineSnapshot(self._get(0, size), int(self._exports["__stack_pointer"].value(self._store)))

    def restore(self, snapshot: MachineSnapshot) -> None:
        """Go back to a snapshot; a machine that was stopped runs again."""
        size, kept = self._memory.data_len(self._store), len(snapshot.memory)
        ctypes.memmove(self._base(), snapshot.memory, kept)
        if size > kept:
            ctypes.memset(self._base() + kept, 0, size - kept)
        self._exports["__stack_pointer"].set_value(self._store, snapshot.stack_pointer)
        self._stopped = ""

    def put(self, place: int, data: bytes) -> None:
        """Write to the machine's memory."""
        ctypes.memmove(self._base() + place, data, len(data))

    def _start_clock(self) -> None:
        """Begin a call from outside: its deadline counts from now."""
        self._until = time.monotonic() + self.deadline_s

    def _guarded(self, name: str, *arguments: int) -> int:
        """Call what may run the program, in the time that is left.

        Whoever comes back late is stopped: where QuickJS notices that the time is over (`host_interrupt`), it drops the
        job that it runs without a word, and an endless chain of promises would look as if it had ended.
        """
        if self._stopped:
            raise ProgramError(self._stopped)
        try:
            result = self._raw(name, *arguments)
        except wasmtime.Trap as trap:
            self._stop(str(trap).rpartition("wasm trap: ")[2].strip())
        except wasmtime.WasmtimeError as error:
            self._stop(str(error).splitlines()[0])
        if time.monotonic() >= self._until:
            self._stop(f"it ran for more than {self.deadline_s:g} s")
        return result

    def _raw(self, name: str, *arguments: int) -> int:
        if (call := self._calls.get(name)) is None:
            call = self._calls[name] = call_of(self._store, self._exports[name], name)
        return call(*arguments)

    def _stop(self, why: str) -> NoReturn:
        self._stopped = f"the program was stopped: {why}"
        raise ProgramError(self._stopped) from None

    def _base(self) -> int:
        return ctypes.addressof(self._memory.data_ptr(self._store).contents)

    def _get(self, place: int, size: int) -> bytes:
        return ctypes.string_at(self._base() + place, size)

    def _settle(self) -> None:
        """Run pending jobs until there are none, or the time is over."""
        while self._raw("qjs_is_job_pending"):
            self._guarded("qjs_execute_pending_job")

    def _evaluate(self, source: str, name: str, flags: int) -> int:
        code, length = self._written(source)
        label, _ = self._written(name)
        value = self._guarded("qjs_eval", code, length, label, flags)
        self._raw("wasm_free", code)
        self._raw("wasm_free", label)
        if self._raw("qjs_is_exception", value):
            self._raise(self._raw("qjs_get_exception"))
        return value

    def _raise(self, thrown: int) -> NoReturn:
        lines = self._property(thrown, "stack").splitlines()
        message = self._property(thrown, "message") or self._text(thrown)  # last, as it frees what was thrown
        ours = (*(f"({name}:" for name in (*self._modules, "<host>")), "(native)")
        where = next((line.strip() for line in lines if line.strip() and not any(map(line.count, ours))), "")
        raise ProgramError(f"the program threw: {message}" + (f" ({where})" if where else ""))

    def _property(self, value: int, name: str) -> str:
        key, _ = self._written(name)
        found = self._guarded("qjs_get_prop_string", value, key)
        self._raw("wasm_free", key)
        return self._text(found) if self._raw("qjs_is_string", found) else ""

    def _text(self, value: int) -> str:
        """A value converted to a string, as JavaScript does. Frees the value."""
        pointer = self._guarded("qjs_get_string", value)
        if not pointer:
            self._raw("qjs_free_value", value)
            return "something that is no text"
        text = self._text_at(pointer)
        self._raw("qjs_free_cstring", pointer)
        self._raw("qjs_free_value", value)
        return text

    def _written(self, text: str) -> tuple[int, int]:
        """Copy a text into the machine's memory; its address, and its bytes without the closing zero."""
        data = text.encode("utf-8", "replace")
        place = self._raw("wasm_malloc", len(data) + 1)
        if not place:
            self._stop("it used all of its memory")
        self.put(place, data + b"\0")
        return place, len(data)

    def _linker(self) -> wasmtime.Linker:
        """The host's side: everything that could tell one run from another, or this machine from others, is refused."""
        linker = wasmtime.Linker(engine())

        def define(module: str, name: str, parameters: str, result: str, does: Any) -> None:  # noqa: ANN401 - each has a signature of its own
            kinds = {"i": _I32(), "l": _I64()}
            kind = wasmtime.FuncType([kinds[one] for one in parameters], [kinds[one] for one in result])
            linker.define_func(module, name, kind, does)

        define("env", "host_get_timezone_offset", "ii", "i", lambda _low, _high: 0)
        define("env", "host_interrupt", "", "i", lambda: int(time.monotonic() >= self._until))
        define("env", "host_promise_rejection", "iii", "", self._drop_rejection)
        define("env", "host_module_normalize", "ii", "i", lambda _base, name: self._written(self._text_at(name))[0])
        define("env", "host_module_load", "ii", "i", self._module)
        define("env", "host_call", "iiiii", "i", lambda *_: 0)
        wasi = "wasi_snapshot_preview1"
        define(wasi, "clock_time_get", "ili", "i", lambda _clock, _precision, out: self._answer(out, bytes(8)))
        define(wasi, "random_get", "ii", "i", lambda out, size: self._answer(out, b"\x07" * size))
        define(wasi, "fd_close", "i", "i", lambda _file: _NOT_SUPPORTED)
        define(wasi, "fd_fdstat_get", "ii", "i", lambda _file, _out: _BAD_FILE)
        define(wasi, "fd_seek", "ilii", "i", lambda *_: _NOT_SUPPORTED)
        define(wasi, "fd_write", "iiii", "i", lambda *_: _BAD_FILE)
        return linker

    def _answer(self, out: int, data: bytes) -> int:
        size = self._memory.data_len(self._store)
        if not 0 <= out <= size - len(data):
            return _BAD_FILE
        self.put(out, data)
        return 0

    def _drop_rejection(self, promise: int, reason: int, _handled: int) -> None:
        self._raw("qjs_free_value", promise)
        self._raw("qjs_free_value", reason)

    def _text_at(self, place: int) -> str:
        """A text of C's."""
        return ctypes.string_at(self._base() + place).decode("utf-8", "replace")

    def _module(self, name: int, out_length: int) -> int:
        """The address of a module's source, or 0, which makes the import fail."""
        source = self._modules.get(self._text_at(name))
        if source is None:
            return 0
        place, length = self._written(source)
        self.put(out_length, struct.pack("<I", length))
        return place
