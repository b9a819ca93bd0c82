"""Python programs inside the worker. Only the worker's confinement holds them: Python itself has no sandbox."""

from __future__ import annotations

import array
import collections
import functools
import itertools
import json
import marshal
import math
import random
import re
import string
import struct
import textwrap
import time
import types
from typing import Any, NamedTuple

from decoder.controller.protocol import LIST
from decoder.errors import ProgramError
from decoder.program.combinators import RUN
from decoder.program.python_function import PythonFunction
from decoder.program.wire import to_json

PRELOADED = (array, collections, functools, itertools, json, math, random, re, string, struct, textwrap, time)
"""The modules that a program can import: a confined worker opens no file, so they are imported before."""

_JSON = json.JSONEncoder(allow_nan=False)
_CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")


def stand_still() -> None:
    """Stop the clocks of `time` at 0, so that a program does the same each time; `sleep` still waits."""
    for name in _CLOCKS:
        setattr(time, name, lambda: 0.0)
        setattr(time, f"{name}_ns", lambda: 0)


CandidateLists = tuple[bytes, list[str], bytes]
"""The candidates of a step, in three lists: their ids as int32, their texts, and their log-probabilities as float32."""


class TokenCandidate(NamedTuple):
    """One token that may be chosen."""

    id: int
    text: str
    logprob: float


class PythonStep:
    """The argument of a program's function `step`."""

    def __init__(self, position: int, text: str, lists: CandidateLists, distribution: bytes, symbols: object) -> None:
        self.position = position
        self.text = text
        self.symbols = symbols
        self._lists = lists
        self._distribution = distribution

    @property
    def candidates(self) -> list[TokenCandidate]:
        """The most probable tokens, best first."""
        ids, texts, logprobs = self._lists
        rows = zip(array.array("i", ids), texts, array.array("f", logprobs), strict=True)
        return [*map(tuple.__new__, itertools.repeat(TokenCandidate), rows)]  # half the time of `TokenCandidate(...)`

    @property
    def distribution(self) -> array.array[float]:
        """Log-probabilities of all tokens, by id; empty where the program does not want them."""
        return array.array("f", self._distribution)


class PythonProgram:
    """One program in Python, from load to the end of its request. See `worker.LoadedProgram`.

    Args:
        params: What the program reads as its parameters.
        name: The program's name in messages.

    Raises:
        ProgramError: it threw.
    """

    def __init__(self, source: str, params: dict[str, Any], name: str, deadline_s: float) -> None:
        del deadline_s  # the host ends a worker that is late
        self._source, self._params, self._name = source, params, name
        self._symbols: object = None
        self.restart()
        wants = self._names.get("wants", [])
        # what `worker.LoadedProgram` reports: what the program defines, and what a step is to bring
        self.about = {
            "kind": "step" if callable(self._names.get("step")) else "main" if self._main is not None else "",
            "wants": [str(want) for want in wants] if isinstance(wants, list | tuple) else [],
        }

    def set_place(self, data: str) -> None:
        """Keep the data about the place, for `PythonStep.symbols`."""
        self._symbols = json.loads(data)

    def step(self, body: bytes) -> bytes:
        """The program's answer to a step that `protocol.marshalled` encoded."""
        position, written, lists, distribution = marshal.loads(body)  # noqa: S302 - the host's
        self._text += written
        try:
            answer = self._names["step"](PythonStep(position, self._text, lists, distribution, self._symbols))
            if isinstance(answer, list):
                return LIST + array.array("f", answer).tobytes()
            return _JSON.encode({} if answer is None else answer).encode()
        except BaseException as error:
            raise self._fault(error) from error

    def after(self, history: tuple[str, ...]) -> bytes:
        """The part that its main awaits once these texts have been written, as JSON."""
        assert self._main is not None  # noqa: S101 - the host asks no program that has a step
        try:
            return _JSON.encode(to_json(self._main.after(history))).encode()
        except BaseException as error:
            raise self._fault(error) from error

    def restart(self) -> None:
        """Run the program's source, as if for the first time."""
        self._text = ""
        random.seed(0)
        module = types.ModuleType("controller")
        self._names = module.__dict__
        RUN.params = types.MappingProxyType(self._params)
        RUN.main = None
        self._names["params"] = self._params
        try:
            exec(compile(self._source.encode("utf-8", "replace"), self._name, "exec"), self._names)  # noqa: S102 - what this process is for
        except BaseException as error:
            raise self._fault(error) from error
        main = RUN.main or self._names.get("main")
        self._main = PythonFunction(main, RUN.params) if callable(main) else None

    def _fault(self, error: BaseException) -> ProgramError:
        """The error for what the program threw, with the innermost of its own lines."""
        lines, trace = [], error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._name:
                lines.append(trace.tb_lineno)
            trace = trace.tb_next
        where = f" ({self._name}:{lines[-1]})" if lines else ""
        return ProgramError(f"the program threw: {type(error).__name__}: {str(error)[:300]}{where}")
