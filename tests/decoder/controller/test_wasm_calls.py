"""Our direct calls of WebAssembly functions do what wasmtime's own do."""

from __future__ import annotations

from typing import Any

import pytest
import wasmtime

from decoder.controller.quickjs import engine
from decoder.controller.wasm_calls import Call, call_of

MODULE = """(module
  (import "host" "ask" (func $ask (param i32) (result i32)))
  (func (export "minus") (param i32 i32) (result i32) (i32.sub (local.get 0) (local.get 1)))
  (func (export "none") (result i32) (i32.const -5))
  (func (export "silent") (param i32))
  (func (export "asks") (param i32) (result i32) (call $ask (local.get 0)))
  (func (export "traps") (result i32) unreachable)
  (func (export "endless") (loop $l (br $l)))
  (func (export "long") (param i64) (result i32) (i32.const 0))
  (func (export "two") (result i32 i32) (i32.const 0) (i32.const 1)))"""


class RefusedError(Exception):
    pass


def calls() -> tuple[dict[str, Call], wasmtime.Store, Any]:
    store = wasmtime.Store(engine())
    found: dict[str, Call] = {}

    def ask(given: int) -> int:
        if given < 0:
            raise RefusedError
        return found["minus"](given, 1)  # from within another call

    i32 = wasmtime.ValType.i32()
    linker = wasmtime.Linker(engine())
    linker.define_func("host", "ask", wasmtime.FuncType([i32], [i32]), ask)
    exports: Any = linker.instantiate(store, wasmtime.Module(engine(), MODULE)).exports(store)
    for name in ("minus", "none", "silent", "asks", "traps"):
        found[name] = call_of(store, exports[name], name)
    return found, store, exports


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [("minus", (7, 9), -2), ("minus", (0, -1), 1), ("none", (), -5), ("silent", (3,), 0), ("asks", (5,), 4),
     ("minus", ((1 << 32) - 1, 0), -1)],
)  # fmt: skip
def test_integers_go_in_and_out(name: str, arguments: tuple[int, ...], result: int) -> None:
    found, _, _ = calls()
    assert [found[name](*arguments) for _ in range(3)] == [result] * 3


def test_what_breaks_off_is_raised_and_the_next_call_is_untouched() -> None:
    found, _, _ = calls()
    for _ in range(2):
        with pytest.raises(wasmtime.Trap) as trapped:
            found["traps"]()
        assert trapped.value.trap_code is wasmtime.TrapCode.UNREACHABLE
        with pytest.raises(RefusedError):
            found["asks"](-1)
        assert found["minus"](2, 1) == 1


def test_no_other_signature_is_called() -> None:
    found, store, exports = calls()
    with pytest.raises(ValueError, match="shorter"):
        found["minus"](1)
    for name in ("long", "two"):
        with pytest.raises(TypeError, match="32-bit integers"):
            call_of(store, exports[name], name)
