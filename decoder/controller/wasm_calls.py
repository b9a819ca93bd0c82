"""Fast calls of WebAssembly functions that take and return 32-bit integers only.

wasmtime's own `Func.__call__` looks up the signature and wraps each value at each call, and so takes ten times as long.
`call_of` looks a signature up once. It uses private names of wasmtime, so `pyproject.toml` allows one major version.
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
"""The size of a value in memory, in 32-bit integers."""


def call_of(store: wasmtime.Store, function: wasmtime.Func, name: str) -> Call:
    """A Python function that calls `function` with integers and returns its integer, 0 where it returns nothing.

    While it runs, it must not be called again: all calls keep their arguments in the same memory.

    Args:
        name: The function's name in errors.

    Raises:
        TypeError: `function` takes or returns something else.
        ValueError: at a call: another number of integers is given than it takes.
        wasmtime.Trap, wasmtime.WasmtimeError: at a call: it breaks off.
    """
    signature = function.type(store)
    integer = wasmtime.ValType.i32()
    if len(signature.results) > 1 or any(type_ != integer for type_ in (*signature.params, *signature.results)):
        raise TypeError(f"{name} does not take and return 32-bit integers only")
    count, has_result = len(signature.params), bool(signature.results)
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
        return integers[0] if has_result else 0

    return call


def _raise(trap: Any, error: Any) -> None:  # noqa: ANN401 - pointers of wasmtime's
    """Raise what broke a call off: an exception of a function of the host, or else wasmtime's own error or trap."""
    exception = wasmtime.WasmtimeError._from_ptr(error) if error else wasmtime.Trap._from_ptr(trap)
    _func.maybe_raise_last_exn()
    raise exception
