"""Controllers in WebAssembly, inside the worker: a module that imports nothing and answers in its own memory.

It exports `memory`; `buffer() -> i32`, where 128 KiB are free for steps and answers; `step() -> i32`; and, if
it wants its parameters, `start(length) -> ()`, called once with so many bytes of JSON in the buffer.

    at 0      u32 position, u32 candidates n, u32 bytes written, u32 bytes of texts
    at 16     i32 ids [n], f32 log-probabilities [n], u32 bytes of each text [n]
    then      the text written since the last step, then the candidates' texts, one after the other

`step` returns 0 for nothing, 1 for biases, f32 [n] at 65536, of which -infinity bans; 2 to choose the id that is there
as an i32; 3 to stop; 4 to force the text that is there, after its length in bytes as a u32.
"""

from __future__ import annotations

import ctypes
import json
import math
import struct
from typing import Any, NoReturn, cast

import wasmtime

from decoder.controller.calls import Call, call_of
from decoder.controller.protocol import HEAD_BYTES, LIST, MOST_FORCED_CHARACTERS, candidates_in, message_bytes
from decoder.controller.quickjs import ScriptError, engine
from decoder.controller.ticking import TICK_SECONDS, ticking

_ANSWER = 65536
_BUFFER = 2 * _ANSWER
_SILENT, _BIASES, _CHOICE, _STOP, _FORCED = range(5)


class Module:
    """One program, from load to the end of its request."""

    about = {"kind": "step", "wants": []}  # noqa: RUF012 - the same for all, and nobody writes to it

    def __init__(self, source: bytes, params: dict[str, Any], name: str, memory_bytes: int, deadline_s: float) -> None:
        self._name, self._memory_bytes, self._deadline_s = name, memory_bytes, deadline_s
        self._params = json.dumps(params).encode()
        self._engine = engine()
        try:
            self._module = wasmtime.Module(self._engine, source)
        except wasmtime.WasmtimeError as error:
            raise ScriptError(f"'{name}' is no WebAssembly module: {str(error).splitlines()[0]}") from None
        self._begin()

    def step(self, body: bytes) -> bytes:
        """The program's answer, as the other languages spell it."""
        size = message_bytes(body)
        if size > _ANSWER:
            raise ScriptError("a step's texts are longer than a module's buffer")
        self._put(self._buffer, body[:size])
        code = self._call("step")
        if code == _SILENT:
            return b"{}"
        if code == _STOP:
            return b'{"stop": true}'
        if code == _BIASES:
            return self._biases(body)
        (number,) = struct.unpack("<i", self._get(self._buffer + _ANSWER, 4))
        if code == _CHOICE:
            return json.dumps({"choose": number}).encode()
        if code == _FORCED and 0 <= number <= min(4 * MOST_FORCED_CHARACTERS, _ANSWER - 4):
            text = self._get(self._buffer + _ANSWER + 4, number).decode("utf-8", "replace")
            return json.dumps({"force": text}).encode()
        raise ScriptError(f"the program's step returned {code}, which means nothing")

    def snapshot(self) -> None:
        """A module's globals cannot be read from outside: it is only taken back to its beginning."""

    def restore(self, _snapshot: None) -> None:
        """Begin anew."""
        self._begin()

    def _begin(self) -> None:
        self._store = wasmtime.Store(self._engine)
        self._store.set_limits(memory_size=self._memory_bytes, instances=1, tables=8, memories=1)
        self._set_clock()
        try:
            with ticking(self._engine):
                self._exports: Any = wasmtime.Instance(self._store, self._module, []).exports(self._store)
        except wasmtime.Trap as trap:
            self._trapped(trap)
        except wasmtime.WasmtimeError as error:
            raise ScriptError(f"'{self._name}' cannot be started: {str(error).splitlines()[0]}") from None
        kinds = {"memory": wasmtime.Memory, "buffer": wasmtime.Func, "step": wasmtime.Func}
        for name, kind in kinds.items():
            if not isinstance(self._exports.get(name), kind):
                raise ScriptError(f"'{self._name}' does not export {name}")
        self._memory = cast("wasmtime.Memory", self._exports["memory"])
        self._calls: dict[str, Call] = {}
        self._buffer = self._call("buffer") % (1 << 32)
        if self._buffer + _BUFFER > self._memory.data_len(self._store):
            raise ScriptError(f"the buffer of '{self._name}' does not lie in its memory")
        if self._exports.get("start") is not None:
            if len(self._params) > _BUFFER:
                raise ScriptError("the parameters are longer than a module's buffer")
            self._put(self._buffer, self._params)
            self._call("start", len(self._params))

    def _biases(self, body: bytes) -> bytes:
        count = candidates_in(body)
        data = self._get(self._buffer + _ANSWER, 4 * count)
        biases = struct.unpack(f"<{count}f", data)
        if -math.inf not in biases:
            return LIST + data
        ids = struct.unpack_from(f"<{count}i", body, HEAD_BYTES)
        pairs = list(zip(ids, biases, strict=True))
        return json.dumps({
            "bias": {token: bias for token, bias in pairs if bias != -math.inf},
            "ban": [token for token, bias in pairs if bias == -math.inf],
        }).encode()  # fmt: skip

    def _call(self, name: str, *arguments: int) -> int:
        self._set_clock()
        try:
            if name not in self._calls:
                self._calls[name] = self._called(name)
            with ticking(self._engine):
                return self._calls[name](*arguments)
        except wasmtime.Trap as trap:
            self._trapped(trap)
        except (wasmtime.WasmtimeError, TypeError) as error:
            raise ScriptError(f"'{self._name}' cannot be asked for {name}: {str(error).splitlines()[0]}") from None

    def _called(self, name: str) -> Call:
        function = self._exports[name]
        if name != "start" and len(function.type(self._store).results) != 1:
            raise ScriptError(f"{name} of '{self._name}' must return an i32")
        return call_of(self._store, function, name)

    def _set_clock(self) -> None:
        self._store.set_epoch_deadline(int(self._deadline_s / TICK_SECONDS) + 1)

    def _trapped(self, trap: wasmtime.Trap) -> NoReturn:
        if trap.trap_code is wasmtime.TrapCode.INTERRUPT:
            raise ScriptError(f"the program was stopped: it ran for more than {self._deadline_s:g} s") from None
        raise ScriptError(f"the program was stopped: {str(trap).splitlines()[-1].strip()}") from None

    def _base(self) -> int:
        return ctypes.addressof(self._memory.data_ptr(self._store).contents)

    def _put(self, place: int, data: bytes) -> None:
        ctypes.memmove(self._base() + place, data, len(data))

    def _get(self, place: int, size: int) -> bytes:
        return ctypes.string_at(self._base() + place, size)
