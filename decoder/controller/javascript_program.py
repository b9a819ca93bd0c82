"""JavaScript programs inside the worker. Each request begins with a snapshot from before any program."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import wasmtime

from decoder.controller.protocol import LIST, measured
from decoder.controller.quickjs import Machine, MachineSnapshot, engine
from decoder.controller.wasm_calls import call_of
from decoder.errors import ProgramError

_END = """
;globalThis.began$ = control$.begin(
  typeof step === "undefined" ? null : step,
  typeof wants === "undefined" ? [] : wants,
  (typeof main === "function" && (inscope$.start(main), true)) || inscope$.hasMain(),
);
"""
_LOAD_SECONDS = 60.0
_MOST_MESSAGE = 1 << 17
"""The most bytes of an encoded step."""
_MOST_CANDIDATES = 256
_KEPT = 8
"""The most snapshots of a program's main, of about 1.5 MB each; other places are reached from the nearest before."""
_NUMBERS = 1
"""In place of an address: what `step.wat` returns for an answer that is a number for each candidate."""
_NAMES = "candidates$\0idtextlogprob"
"""The name of the function and of what a candidate has; `step.wat` finds them in memory and keeps their atoms."""


class _StepMachine(Machine):
    """A machine that is asked for steps: with `step.wat` beside QuickJS, and a buffer that the host writes to."""

    def __init__(self) -> None:
        prelude = files("decoder.program").joinpath("inscope.js").read_text("utf-8")
        super().__init__({"inscope": prelude}, deadline_s=_LOAD_SECONDS)
        self.load('import "inscope"', "<host>")
        module = wasmtime.Module(engine(), files(__package__).joinpath("step.wat").read_text("utf-8"))
        linker = wasmtime.Linker(engine())
        for one in module.imports:
            linker.define(self._store, "quickjs", str(one.name), self._exports[one.name])
        added: Any = linker.instantiate(self._store, module).exports(self._store)
        for name in ("begin", "prepare", "step"):
            self._calls[name] = call_of(self._store, added[name], name)
        self._raw("begin", self._raw("qjs_get_context_ptr"), self._written(_NAMES)[0])
        room = 4 * _MOST_CANDIDATES + 8 * (_MOST_CANDIDATES + 2)  # biases; candidates, the last with its parts
        self.ask(f"globalThis.bufferBytes$ = {_MOST_MESSAGE + room}")
        self.load(files(__package__).joinpath("step.js").read_text("utf-8"), "<host>")
        self._message = self.address("control$.buffer")
        self._biases = self._message + _MOST_MESSAGE
        functions = self._value("control$.step"), self._value("control$.asJson")
        values, (kept, _) = self._biases + 4 * _MOST_CANDIDATES, self._written("\0" * 8)
        undefined = self._raw("qjs_get_undefined")
        self._raw("prepare", self._message, self._biases, values, kept, *functions, undefined)

    def step(self, message: bytes, count: int) -> bytes:
        """The program's answer to an encoded step of `count` candidates, once its pending jobs have run."""
        self._start_clock()
        if len(message) > _MOST_MESSAGE or count > _MOST_CANDIDATES:
            raise ProgramError("a step is too large for a program: its texts, or the number of candidates")
        self.put(self._message, message)
        answer = self._guarded("step")
        if answer < 0:
            self._raise(self._raw("qjs_get_exception"))
        place, is_left = divmod(answer, 2)
        if is_left:
            self._settle()
        return LIST + self._get(self._biases, 4 * count) if place == _NUMBERS else self._text_at(place).encode()

    def address(self, expression: str) -> int:
        """The address of an ArrayBuffer's bytes."""
        value = self._value(expression)
        place, _ = self._written("    ")
        found = self._raw("qjs_get_array_buffer", value, place)
        self._raw("wasm_free", place)
        return found

    def _value(self, expression: str) -> int:
        """The handle of an expression's value."""
        self._start_clock()
        return self._evaluate(expression, "<host>", 0)


@cache
def pristine() -> tuple[_StepMachine, MachineSnapshot]:
    """The machine of this process, and its state before any program."""
    machine = _StepMachine()
    return machine, machine.snapshot()


class JavaScriptProgram:
    """One program in JavaScript, from load to the end of its request."""

    def __init__(self, source: str, params: dict[str, Any], name: str, deadline_s: float) -> None:
        machine, before = pristine()
        machine.restore(before)
        machine.deadline_s = deadline_s
        machine.ask(f"inscope$.give({json.dumps(json.dumps(params))})")
        machine.load(source + _END, name)
        self.about: dict[str, Any] = json.loads(machine.ask("began$"))
        self._machine = machine
        if self.about.get("kind") == "main":
            machine.ask("inscope$.begin()")
        self._begun = machine.snapshot()
        self._snapshots: dict[tuple[str, ...], MachineSnapshot] = {}
        self._at: tuple[str, ...] | None = ()
        """The texts after which the machine is; None where it failed on the way."""
        self._distribution = 0

    def set_place(self, data: str) -> None:
        """Give the program the data about the place, for `step.symbols`; `restart` keeps it."""
        self._machine.ask(f"control$.setPlace({json.dumps(data)}), 0")
        self._begun = self._machine.snapshot()

    def step(self, body: bytes) -> bytes:
        """The program's answer."""
        count, size = measured(body)
        if size < len(body):
            self._machine.put(self._distribution_of(len(body) - size), body[size:])
        return self._machine.step(body[:size], count)

    def after(self, history: tuple[str, ...]) -> bytes:
        """The part that its main awaits once these texts have been written, as JSON; null where it is over."""
        self._go(history)
        question = self._machine.ask("inscope$.question()")
        self._at = history
        return question.encode()

    def restart(self) -> None:
        """Go back to before the first step."""
        self._machine.restore(self._begun)
        self._distribution = 0

    def _go(self, history: tuple[str, ...]) -> None:
        """Take the program to where these texts have been written."""
        at, self._at = self._at, None  # unless all goes well
        if at == history:
            return
        known = len(history) - (at is not None and at == history[:-1])
        if known == len(history):
            while known and history[:known] not in self._snapshots:
                known -= 1
            self._machine.restore(self._snapshots.get(history[:known], self._begun))
        for text in history[known:]:
            self._machine.ask(f"inscope$.next({json.dumps(text)})")
        self._snapshots[history] = self._machine.snapshot()
        if len(self._snapshots) > _KEPT:
            del self._snapshots[next(iter(self._snapshots))]

    def _distribution_of(self, size: int) -> int:
        if not self._distribution:
            self._distribution = self._machine.address(f"control$.distribution({size // 4})")
        return self._distribution
