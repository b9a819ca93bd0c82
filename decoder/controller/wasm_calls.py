"""Fast calls of WebAssembly functions that take and return 32-bit integers only.

wasmtime's own `Func.__call__` looks up the signature and wraps each value at each call, and so takes ten times as long.
Here a signature is looked up once. The names of wasmtime that this takes are not public, which is why `pyproject.toml`
allows one major version only.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import wasmtime
from wasmtime import _bindings as native
from wasmtime import _func

Call = Callable[..., int]
_TRAP = ctypes.POINTER(native.wasm_trap_t)
_INTEGERS = ctypes.POINTER(ctypes.c_int32)
_STRIDE = ctypes.sizeof(native.wasmtime_val_raw_t) // 4
"""The size of a value, in integers."""


def call_of(store: wasmtime.Store, function: wasmtime.Func, name: str) -> Call:
    """The function, to be called with integers; it returns one, 0 where it returns nothing.

    A call may make others, but none of the same function: its arguments are kept in one place.

    Raises:
        TypeError: it takes or returns something else.
        ValueError: when it is called with another number of integers than it takes.
        wasmtime.Trap, wasmtime.WasmtimeError: when a call of it breaks off.
    """
    kind = function.type(store)
    integer = wasmtime.ValType.i32()
    if len(kind.results) > 1 or any(one != integer for one in (*kind.params, *kind.results)):
        raise TypeError(f"{name} does not take and return 32-bit integers only")
    count, answers = len(kind.params), bool(kind.results)
    values = (native.wasmtime_val_raw_t * max(count, 1))()
    integers = ctypes.cast(values, _INTEGERS)
    places = range(0, count * _STRIDE, _STRIDE)
    reference = ctypes.byref(function._func)
    enter: Any = native._wasmtime_func_call_unchecked

    def call(*arguments: int) -> int:
        for place, argument in zip(places, arguments, strict=True):
            integers[place] = argument
        trap = _TRAP()
        error = enter(store._context(), reference, values, len(values), ctypes.byref(trap))
        if trap or error:
            _raise(trap, error)
        return integers[0] if answers else 0

    return call


def _raise(trap: Any, error: Any) -> None:  # noqa: ANN401 - pointers of wasmtime's
    broken = wasmtime.WasmtimeError._from_ptr(error) if error else wasmtime.Trap._from_ptr(trap)
    _func.maybe_raise_last_exn()  # what the host's side of a call raised
    raise broken
