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

import json
import math
import struct
from typing import Any

import wasmtime

from decoder.controller.guest import Guest, engine
from decoder.controller.protocol import HEAD_BYTES, LIST, MOST_FORCED_CHARACTERS, candidates_in, message_bytes
from decoder.errors import ProgramError

_ANSWER = 65536
_BUFFER = 2 * _ANSWER
_SILENT, _BIASES, _CHOICE, _STOP, _FORCED = range(5)


class Module(Guest):
    """One program, from load to the end of its request."""

    about = {"kind": "step", "wants": []}  # noqa: RUF012 - the same for all, and nobody writes to it

    def __init__(self, source: bytes, params: dict[str, Any], name: str, memory_bytes: int, deadline_s: float) -> None:
        self._name, self._memory_bytes, self.deadline_s = name, memory_bytes, deadline_s
        self._params = json.dumps(params).encode()
        try:
            self._module = wasmtime.Module(engine(), source)
        except wasmtime.WasmtimeError as error:
            raise ProgramError(f"'{name}' is no WebAssembly module: {str(error).splitlines()[0]}") from None
        if imports := self._module.imports:
            raise ProgramError(f"'{name}' imports {imports[0].name}; a module has nothing to import")
        self.restart()

    def step(self, body: bytes) -> bytes:
        """The program's answer, as the other languages spell it."""
        size = message_bytes(body)
        if size > _ANSWER:
            raise ProgramError("a step's texts are longer than a module's buffer")
        self._put(self._buffer, body[:size])
        code = self._ask("step")
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
        raise ProgramError(f"the program's step returned {code}, which means nothing")

    def restart(self) -> None:
        """Begin with another instance."""
        super().__init__(
            lambda store: wasmtime.Instance(store, self._module, []).exports(store),
            memory_bytes=self._memory_bytes, deadline_s=self.deadline_s, tables=8,
        )  # fmt: skip
        for name, kind in {"memory": wasmtime.Memory, "buffer": wasmtime.Func, "step": wasmtime.Func}.items():
            found = self._exports.get(name)
            answers = not isinstance(found, wasmtime.Func) or found.type(self._store).results
            if not isinstance(found, kind) or not answers:
                raise ProgramError(f"'{self._name}' does not export {name}{'' if name == 'memory' else ' -> i32'}")
        self._buffer = self._ask("buffer") % (1 << 32)
        if self._buffer + _BUFFER > self._memory.data_len(self._store):
            raise ProgramError(f"the buffer of '{self._name}' does not lie in its memory")
        if self._exports.get("start") is not None:
            if len(self._params) > _BUFFER:
                raise ProgramError("the parameters are longer than a module's buffer")
            self._put(self._buffer, self._params)
            self._ask("start", len(self._params))

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

    def _ask(self, name: str, *arguments: int) -> int:
        self._start_clock()
        return self._guarded(name, *arguments)
