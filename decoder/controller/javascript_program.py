"""JavaScript programs inside the worker.

`worker` makes a `JavaScriptProgram` for each program that it is told to load, and uses only the last one. It runs on
the one machine of this process (`quickjs`), which is first put back to a snapshot from before any program.

A program is of one of two kinds. A controller has a function `step`: `step` asks it about candidates, and `restart`
takes it back to before its first step. Another has a `main`: `after` asks what it awaits.
"""

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
"""Put after a program's source, where it sees the source's names `step`, `wants` and `main`: hands the functions to
`step.js`, and puts what `JavaScriptProgram.about` says into the global variable `began$`."""
_LOAD_SECONDS = 60.0
"""The time limit while the machine is prepared, before any program."""
_MOST_MESSAGE_BYTES = 1 << 17
"""The most bytes of an encoded step without its distribution."""
_MOST_CANDIDATES = 256
"""The most candidates of a step: the buffer has so many places for them."""
_MOST_SNAPSHOTS = 8
"""The most snapshots of a program's main, of about 1.5 MB each. Other places are reached by running it on from the
nearest snapshot before them."""
_NUMBERS = 1
"""Returned by `step.wat` in place of an address: the answer is a number for each candidate."""
_NAMES = "candidates$\0idtextlogprob"
"""What `step.wat` reads from memory, at places that it knows: the name of the global function by which `step.js` gets
candidates; and, joined, the names of a candidate's fields: `id`, `text`, `logprob`."""


class _StepMachine(Machine):
    """A machine that answers steps quickly: with `step.wat` beside QuickJS, and a buffer that the host writes to.

    `step.wat` makes the candidates' objects from the buffer, calls the program, and writes biases back. In memory the
    encoded step comes first, then a float32 for each bias, then room for JavaScript's values, which only it uses.
    """

    def __init__(self) -> None:
        prelude = files("decoder.program").joinpath("inscope.js").read_text("utf-8")
        super().__init__({"inscope": prelude}, deadline_s=_LOAD_SECONDS)
        self.load('import "inscope"', "<host>")
        module = wasmtime.Module(engine(), files(__package__).joinpath("step.wat").read_text("utf-8"))
        linker = wasmtime.Linker(engine())
        for imported in module.imports:
            linker.define(self._store, "quickjs", str(imported.name), self._exports[imported.name])
        exports: Any = linker.instantiate(self._store, module).exports(self._store)
        for name in ("begin", "prepare", "step"):
            self._calls[name] = call_of(self._store, exports[name], name)
        self._raw("begin", self._raw("qjs_get_context_ptr"), self._copied_in(_NAMES)[0])
        room = 4 * _MOST_CANDIDATES + 8 * (_MOST_CANDIDATES + 2)  # biases; candidates, the last with its parts
        self.ask(f"globalThis.bufferBytes$ = {_MOST_MESSAGE_BYTES + room}")
        self.load(files(__package__).joinpath("step.js").read_text("utf-8"), "<host>")
        self._message = self.address("control$.buffer")
        self._biases = self._message + _MOST_MESSAGE_BYTES
        values = self._biases + 4 * _MOST_CANDIDATES
        last_answer, _ = self._copied_in("\0" * 8)  # where `step.wat` keeps the handles of the answer before
        functions = self._value("control$.step"), self._value("control$.asJson")
        undefined = self._raw("qjs_get_undefined")
        self._raw("prepare", self._message, self._biases, values, last_answer, *functions, undefined)

    def step(self, message: bytes, count: int) -> bytes:
        """The program's answer to an encoded step of `count` candidates, once its pending jobs have run.

        It is JSON, or `LIST` and a float32 for each candidate.

        Raises:
            ProgramError: the program threw or was stopped, or the step is too large.
        """
        self._start_clock()
        if len(message) > _MOST_MESSAGE_BYTES or count > _MOST_CANDIDATES:
            raise ProgramError("a step is too large for a program: its texts, or the number of candidates")
        self.put(self._message, message)
        answer = self._guarded("step")
        if answer < 0:
            self._raise(self._raw("qjs_get_exception"))
        address, has_jobs = divmod(answer, 2)  # the lowest bit: whether promises are to be run; else where the JSON is
        if has_jobs:
            self._settle()
        return LIST + self._get(self._biases, 4 * count) if address == _NUMBERS else self._text_at(address).encode()

    def address(self, expression: str) -> int:
        """The address of the bytes of the ArrayBuffer that an expression returns."""
        value = self._value(expression)
        length_address, _ = self._copied_in("    ")  # four bytes, into which the buffer's length is written
        address = self._raw("qjs_get_array_buffer", value, length_address)
        self._raw("wasm_free", length_address)
        return address

    def _value(self, expression: str) -> int:
        """The handle of an expression's value."""
        self._start_clock()
        return self._evaluate(expression, "<host>", 0)


@cache
def pristine() -> tuple[_StepMachine, MachineSnapshot]:
    """The machine of this process, and a snapshot of it from before any program."""
    machine = _StepMachine()
    return machine, machine.snapshot()


class JavaScriptProgram:
    """One program in JavaScript, from load to the end of its request. See `worker.LoadedProgram`.

    Each method raises a `ProgramError` if the program threw or was stopped.

    Args:
        params: What the program reads as its parameters.
        name: The program's name in messages.
        deadline_s: Seconds that each call of it may take.

    Raises:
        ProgramError: it threw or was stopped while it was loaded.
    """

    def __init__(self, source: str, params: dict[str, Any], name: str, deadline_s: float) -> None:
        machine, before_program = pristine()
        machine.restore(before_program)
        machine.deadline_s = deadline_s
        machine.ask(f"inscope$.give({json.dumps(json.dumps(params))})")
        machine.load(source + _END, name)
        self.about: dict[str, Any] = json.loads(machine.ask("began$"))
        self._machine = machine
        if self.about.get("kind") == "main":
            machine.ask("inscope$.begin()")
        self._loaded = machine.snapshot()
        """The machine before the first step, with the data about the place."""
        self._snapshots: dict[tuple[str, ...], MachineSnapshot] = {}
        """Of a main, by the texts that had been written; the first that were made come first."""
        self._history: tuple[str, ...] | None = ()
        """The texts that the machine's main has received; None if it failed on the way."""
        self._distribution = 0
        """The address of the buffer for distributions; 0 while the machine has none."""

    def set_place(self, data: str) -> None:
        """Give the program the data about the place, for `step.symbols`; `restart` keeps it. Before the first step."""
        self._machine.ask(f"control$.setPlace({json.dumps(data)}), 0")
        self._loaded = self._machine.snapshot()

    def step(self, body: bytes) -> bytes:
        """The program's answer to an encoded step. The step's distribution, if it has one, goes to its own buffer."""
        count, size = measured(body)
        if size < len(body):
            self._machine.put(self._distribution_address(len(body) - size), body[size:])
        return self._machine.step(body[:size], count)

    def after(self, history: tuple[str, ...]) -> bytes:
        """The part that its main awaits once these texts have been written, as JSON; null where it is over."""
        self._go_to(history)
        question = self._machine.ask("inscope$.question()")
        self._history = history
        return question.encode()

    def restart(self) -> None:
        """Go back to before the first step."""
        self._machine.restore(self._loaded)
        self._distribution = 0

    def _go_to(self, history: tuple[str, ...]) -> None:
        """Take the main to where these texts have been written.

        It goes on from where it is if it lacks only the last text; else from the snapshot with most of the texts.
        """
        current, self._history = self._history, None  # `after` sets it once all has gone well
        if current == history:
            return
        received = len(history) - 1  # the texts that the machine's main has
        if current is None or current != history[:-1]:
            received = len(history)
            while received and history[:received] not in self._snapshots:
                received -= 1
            self._machine.restore(self._snapshots.get(history[:received], self._loaded))
        for text in history[received:]:
            self._machine.ask(f"inscope$.next({json.dumps(text)})")
        self._snapshots[history] = self._machine.snapshot()
        if len(self._snapshots) > _MOST_SNAPSHOTS:
            del self._snapshots[next(iter(self._snapshots))]

    def _distribution_address(self, size: int) -> int:
        """The address of the buffer for distributions, all of which have `size` bytes; the first call makes it."""
        if not self._distribution:
            self._distribution = self._machine.address(f"control$.distribution({size // 4})")
        return self._distribution
