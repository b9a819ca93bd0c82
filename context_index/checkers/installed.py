"""Asks a checker's program for its version, to see whether it runs and is new enough; for `inscope doctor`."""

from __future__ import annotations

import os
import re

from context_index.checkers.errors import CheckerStartError
from context_index.checkers.programs import CheckerProgram
from context_index.processes import PIPE, LateError, finish, start

_PATIENCE_S = 10.0
_NUMBERS = re.compile(r"\d+(?:\.\d+)+")


def installed_version(program: CheckerProgram) -> str:
    """The version that a checker's program states, such as `7.0.2`.

    Raises:
        CheckerStartError: it does not run, or is too old; the sentence says what is wrong, not what to do.
    """
    path, name = program.command[0], program.title.partition(" ")[0]
    try:
        process = start([path, "--version"], outside_of=program.outside_of, stderr=PIPE)
        done = finish(process, _PATIENCE_S)
    except LateError as late:
        raise CheckerStartError(f"{name} at '{path}' did not state its version within {_PATIENCE_S:g} s") from late
    except PermissionError as error:
        raise CheckerStartError(f"{name} at '{path}' may not be executed") from error
    except OSError as error:
        raise CheckerStartError(f"{name} at '{path}' does not start ({error.strerror or error})") from error
    if done.code != 0:
        how = f"ends with code {done.code}" if done.code > 0 else f"is ended by signal {-done.code}"
        raise CheckerStartError(f"{name} at '{path}' {how} when it is asked for its version")
    stated = _NUMBERS.search(os.fsdecode(done.output))
    if stated is None:
        raise CheckerStartError(f"{name} at '{path}' states no version")
    if _numbers(stated[0]) < _numbers(program.least):
        raise CheckerStartError(f"{name} at '{path}' is {stated[0]}, and Inscope needs {program.least} or later")
    return stated[0]


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]
