"""Controllers in JavaScript, inside the worker: a machine that is taken back to before any program for each request."""

from __future__ import annotations

import ctypes
import json
import struct
import time
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from decoder.controller.protocol import LIST, Layout
from decoder.controller.quickjs import Machine, ScriptError, Snapshot
from decoder.program.javascript import JavaScript, prelude
from decoder.program.nodes import Awaited

_END = """
;globalThis.began$ = control$.begin(
  typeof step === "undefined" ? null : step,
  typeof wants === "undefined" ? [] : wants,
  (typeof main === "function" && (inscope$.start(main), true)) || inscope$.hasMain(),
);
"""
_LOAD_SECONDS = 60.0
_AT_HAND = 1 << 17
"""Bytes of texts that a step can tell."""


class _Machine(Machine):
    """One whose functions can be called without parsing, with buffers that the host writes to."""

    _argument = _data = _undefined = 0

    def function(self, expression: str) -> int:
        """What an expression stands for, to be called again and again."""
        self._until = time.monotonic() + self.deadline_s
        return self._evaluate(expression, "<host>", 0)

    def reserve(self) -> None:
        """Have memory at hand for the arguments of calls."""
        self._argument, _ = self._written("    ")
        self._data, _ = self._written(" " * _AT_HAND)
        self._undefined = self._raw("qjs_get_undefined")

    def call(self, function: int, text: bytes) -> str:
        """What a function of a text returns, all that follows from it included."""
        self._until = time.monotonic() + self.deadline_s
        if len(text) > _AT_HAND:
            raise ScriptError("a step's texts are longer than a controller can be told")
        self._put(self._data, text)
        argument = self._raw("qjs_new_string", self._data, len(text))
        self._put(self._argument, struct.pack("<I", argument))
        value = self._guarded("qjs_call", function, self._undefined, 1, self._argument)
        self._raw("qjs_free_value", argument)
        if self._raw("qjs_is_exception", value):
            self._raise(self._raw("qjs_get_exception"))
        self._settle()
        return self._text(value)

    def address(self, expression: str) -> int:
        """Where the bytes of an ArrayBuffer are."""
        value = self.function(expression)
        place, _ = self._written("    ")
        found = self._raw("qjs_get_array_buffer", value, place)
        self._raw("wasm_free", place)
        return found

    def put(self, place: int, data: bytes) -> None:
        """Write to a buffer."""
        self._put(place, data)

    def get(self, place: int, size: int) -> bytes:
        """Read from a buffer."""
        return ctypes.string_at(self._base() + place, size)


@dataclass(frozen=True, slots=True)
class _Pristine:
    machine: _Machine
    snapshot: Snapshot
    step: int
    buffer: int
    biases: int


@cache
def pristine(memory_bytes: int) -> _Pristine:
    """The machine of this process before any program."""
    machine = _Machine({"inscope": prelude()}, memory_bytes=memory_bytes, deadline_s=_LOAD_SECONDS)
    machine.load('import "inscope"', "<host>")
    machine.load(files(__package__).joinpath("control.js").read_text("utf-8"), "<host>")
    machine.reserve()
    step, buffer = machine.function("control$.step"), machine.address("control$.buffer")
    biases = machine.address("control$.biases")
    return _Pristine(machine, machine.snapshot(), step, buffer, biases)


class Script:
    """One program, from load to the end of its request."""

    def __init__(self, source: bytes, params: dict[str, Any], name: str, memory_bytes: int, deadline_s: float) -> None:
        self._pristine = pristine(memory_bytes)
        self._machine = machine = self._pristine.machine
        machine.restore(self._pristine.snapshot)
        machine.deadline_s = deadline_s
        machine.ask(f"inscope$.give({json.dumps(json.dumps(params))})")
        machine.load(source.decode("utf-8") + _END, name)
        self.about: dict[str, Any] = json.loads(machine.ask("began$"))
        self._distribution = 0
        self._program = JavaScript("", name, params, machine) if self.about.get("kind") == "main" else None

    def tell(self, symbols: str) -> None:
        """Have the symbol context at hand."""
        self._machine.ask(f"control$.tell({symbols}), 0")

    def step(self, layout: Layout) -> bytes:
        """The program's answer."""
        texts = layout.texts
        lengths = struct.unpack_from(f"<{layout.count}I", layout.arrays, 8 * layout.count)
        if not texts.isascii():  # lengths are bytes there, and UTF-16 here
            lengths = _in_utf16(texts, lengths)
        head = struct.pack("<3I", layout.position, layout.count, _units(layout.written.decode()))
        numbers = layout.arrays[: 8 * layout.count] + struct.pack(f"<{layout.count}I", *lengths)
        if layout.distribution:
            self._machine.put(self._distribution_of(len(layout.distribution)), layout.distribution)
        self._machine.put(self._pristine.buffer, head + numbers)
        answer = self._machine.call(self._pristine.step, layout.written + texts)
        return answer.encode() or LIST + self._machine.get(self._pristine.biases, 4 * layout.count)

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """What a program with a main waits for."""
        if self._program is None:
            raise ScriptError("the program has no main function")
        return self._program.after(history)

    def snapshot(self) -> Snapshot:
        """What `restore` goes back to."""
        return self._machine.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Go back."""
        self._machine.restore(snapshot)

    def _distribution_of(self, size: int) -> int:
        if not self._distribution:
            self._distribution = self._machine.address(f"control$.distribution({size // 4})")
        return self._distribution


def _units(text: str) -> int:
    """UTF-16 code units, in which JavaScript counts."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def _in_utf16(texts: bytes, lengths: tuple[int, ...]) -> tuple[int, ...]:
    found, at = [], 0
    for length in lengths:
        found.append(_units(texts[at : at + length].decode()))
        at += length
    return tuple(found)
