"""The process that runs a Python program's file: questions come in as JSON lines, parts go out."""

from __future__ import annotations

import json
import os
import runpy
import sys
from types import MappingProxyType
from typing import Any, TextIO

from decoder.program.combinators import REGISTRY
from decoder.program.nodes import Node, ProgramError
from decoder.program.python import PythonFunction
from decoder.program.wire import to_json


def main(path: str) -> None:
    """Answer until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the program prints is for people
    _say(answers, {"node": None})
    program: PythonFunction | None = None
    for line in sys.stdin:
        question = json.loads(line)
        try:
            if program is None:
                program = _loaded(path, question["params"])
                _say(answers, {"node": None})
            else:
                _say(answers, {"node": _json(program.after(tuple(question["history"])))})
        except ProgramError as error:
            _say(answers, {"error": str(error)})
        except Exception as error:  # noqa: BLE001 - whatever a program throws is told to who asked
            _say(answers, {"error": f"the program threw: {type(error).__name__}: {error}{_where(error, path)}"})


def _loaded(path: str, params: dict[str, Any]) -> PythonFunction:
    REGISTRY.params = MappingProxyType(params)
    found = runpy.run_path(path, run_name="__program__")
    program = REGISTRY.main or found.get("main")
    if not callable(program):
        raise ProgramError("the program has no main function, and calls start with none")
    return PythonFunction(program, params)


def _json(node: Node | None) -> dict[str, Any] | None:
    return None if node is None else to_json(node)


def _where(error: BaseException, path: str) -> str:
    """The innermost line of the program's own."""
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f" (line {lines[-1]})" if lines else ""


def _say(answers: TextIO, answer: dict[str, Any]) -> None:
    print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
