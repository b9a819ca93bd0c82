"""A sandbox for JavaScript: QuickJS compiled to WebAssembly, run by wasmtime.

`inscope setup` installs QuickJS itself. A program sees the language and the modules that it is given: no files and no
network. The clock stands still and random numbers repeat, so the same program does the same with the same input. Memory
is limited, and QuickJS asks now and then whether the time is over. A program's whole state is in WebAssembly's linear
memory, so a copy of this memory is a snapshot to which the program can be taken back.

A program whose call returns late is stopped. If a call does not return, the host ends the process. wasmtime could
interrupt it, but then each loop compares an epoch, which takes a fifth of the time of all that runs.

Values and texts in the machine are integers: handles of QuickJS' values, and addresses in the memory.
"""

from __future__ import annotations

import ctypes
import math
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
"""The state of a rejected promise (`JS_PROMISE_REJECTED`)."""
_STACK_BYTES = 256 * 1024
_WASM_STACK_BYTES = 1 << 20
_RESERVE_BYTES = 2 << 20
"""The memory between QuickJS' own limit, which raises an error in the program, and the host's, which ends it."""
_BAD_FILE, _NOT_SUPPORTED = 8, 52
"""Errors of WASI: `badf` and `nosys`."""
_I32 = wasmtime.ValType.i32
_I64 = wasmtime.ValType.i64


@dataclass(frozen=True, slots=True)
class MachineSnapshot:
    """A machine's whole state: its linear memory, and WebAssembly's pointer into its stack."""

    memory: bytes
    stack_pointer: int


@cache
def engine() -> wasmtime.Engine:
    """The engine that runs WebAssembly, one for all programs."""
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

    All methods that run the program raise `ProgramError` if it threw or was stopped.

    Args:
        modules: The sources that the program can import, by name.
        deadline_s: Seconds that each call from outside may take.

    Raises:
        ProgramError: QuickJS is missing or does not start.
    """

    def __init__(self, modules: Mapping[str, str], *, deadline_s: float = 1.0) -> None:
        self._modules = modules
        self.deadline_s = deadline_s
        self._stopped = ""
        """Why the program was stopped, as a sentence; empty while it runs."""
        self._until = math.inf
        """When the call from outside has to be over, on `time.monotonic`'s clock."""
        self._calls: dict[str, Call] = {}
        """The machine's functions that were called before, by name."""
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
        """The value of an expression as a string. All jobs that it started are done first."""
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
        size, restored = self._memory.data_len(self._store), len(snapshot.memory)
        ctypes.memmove(self._base(), snapshot.memory, restored)
        if size > restored:
            ctypes.memset(self._base() + restored, 0, size - restored)
        self._exports["__stack_pointer"].set_value(self._store, snapshot.stack_pointer)
        self._stopped = ""

    def put(self, place: int, data: bytes) -> None:
        """Write to the machine's memory, at the address `place`."""
        ctypes.memmove(self._base() + place, data, len(data))

    def _start_clock(self) -> None:
        """Begin a call from outside: its deadline counts from now."""
        self._until = time.monotonic() + self.deadline_s

    def _guarded(self, name: str, *arguments: int) -> int:
        """Call a function that may run the program, in the time that is left.

        The program is stopped if the call returns late, even without an error: once the time is over (`host_interrupt`)
        QuickJS silently drops the job that it runs, so an endless chain of promises would look as if it had ended.
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
        """Call a function of the machine, without a limit of time."""
        if (call := self._calls.get(name)) is None:
            call = self._calls[name] = call_of(self._store, self._exports[name], name)
        return call(*arguments)

    def _stop(self, why: str) -> NoReturn:
        """Stop the program by force.

        Raises:
            ProgramError: always.
        """
        self._stopped = f"the program was stopped: {why}"
        raise ProgramError(self._stopped) from None

    def _base(self) -> int:
        """Where the machine's memory begins in this process; it may move when the memory grows."""
        return ctypes.addressof(self._memory.data_ptr(self._store).contents)

    def _get(self, address: int, size: int) -> bytes:
        """`size` bytes of the machine's memory."""
        return ctypes.string_at(self._base() + address, size)

    def _settle(self) -> None:
        """Run pending jobs until there are none, or the time is over."""
        while self._raw("qjs_is_job_pending"):
            self._guarded("qjs_execute_pending_job")

    def _evaluate(self, source: str, name: str, flags: int) -> int:
        """The handle of the value of a script (`flags` 0), or of the promise of a module (`_MODULE`)."""
        source_address, length = self._copied_in(source)
        name_address, _ = self._copied_in(name)
        value = self._guarded("qjs_eval", source_address, length, name_address, flags)
        self._raw("wasm_free", source_address)
        self._raw("wasm_free", name_address)
        if self._raw("qjs_is_exception", value):
            self._raise(self._raw("qjs_get_exception"))
        return value

    def _raise(self, thrown: int) -> NoReturn:
        """Raise a `ProgramError` for a thrown value, with the first line of its stack that is the program's own."""
        lines = self._property(thrown, "stack").splitlines()
        message = self._property(thrown, "message") or self._text(thrown)  # last, as it frees what was thrown
        foreign = (*(f"({name}:" for name in (*self._modules, "<host>")), "(native)")
        where = next((line.strip() for line in lines if line.strip() and not any(map(line.count, foreign))), "")
        raise ProgramError(f"the program threw: {message}" + (f" ({where})" if where else ""))

    def _property(self, value: int, name: str) -> str:
        """A property of a value, if it is a string; else an empty text."""
        name_address, _ = self._copied_in(name)
        property_value = self._guarded("qjs_get_prop_string", value, name_address)
        self._raw("wasm_free", name_address)
        return self._text(property_value) if self._raw("qjs_is_string", property_value) else ""

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

    def _copied_in(self, text: str) -> tuple[int, int]:
        """Copy a text into the machine's memory: its address, and its length in bytes without the closing zero."""
        data = text.encode("utf-8", "replace")
        address = self._raw("wasm_malloc", len(data) + 1)
        if not address:
            self._stop("it used all of its memory")
        self.put(address, data + b"\0")
        return address, len(data)

    def _linker(self) -> wasmtime.Linker:
        """The functions that the machine may call in the host.

        Each function that could tell one run from another, or this machine from others, refuses or returns a constant.
        """
        linker = wasmtime.Linker(engine())

        def define(module: str, name: str, parameters: str, result: str, function: Any) -> None:  # noqa: ANN401 - each has a signature of its own
            types = {"i": _I32(), "l": _I64()}
            taken, returned = ([types[letter] for letter in letters] for letters in (parameters, result))
            linker.define_func(module, name, wasmtime.FuncType(taken, returned), function)

        define("env", "host_get_timezone_offset", "ii", "i", lambda _low, _high: 0)
        define("env", "host_interrupt", "", "i", lambda: int(time.monotonic() >= self._until))
        define("env", "host_promise_rejection", "iii", "", self._drop_rejection)
        define("env", "host_module_normalize", "ii", "i", lambda _base, name: self._copied_in(self._text_at(name))[0])
        define("env", "host_module_load", "ii", "i", self._load_module)
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
        """Write what a function of WASI returns to the address `out`; the function's error, 0 for none."""
        size = self._memory.data_len(self._store)
        if not 0 <= out <= size - len(data):
            return _BAD_FILE
        self.put(out, data)
        return 0

    def _drop_rejection(self, promise: int, reason: int, _handled: int) -> None:
        self._raw("qjs_free_value", promise)
        self._raw("qjs_free_value", reason)

    def _text_at(self, address: int) -> str:
        """The text at an address, up to the closing zero."""
        return ctypes.string_at(self._base() + address).decode("utf-8", "replace")

    def _load_module(self, name: int, out_length: int) -> int:
        """The address of a module's source, whose length is written to `out_length`; or 0, and the import fails.

        Args:
            name: The address of the module's name.
        """
        source = self._modules.get(self._text_at(name))
        if source is None:
            return 0
        address, length = self._copied_in(source)
        self.put(out_length, struct.pack("<I", length))
        return address
