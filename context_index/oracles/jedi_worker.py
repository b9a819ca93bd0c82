"""jedi in a process of its own: each line of its input is a question, each message of its output an answer.

Started as `python -P jedi_worker.py ROOT [FOLDER ...]` with the folders of the project's packages, and ends with its
input, so that it outlives nobody. It imports nothing of ours, and starts as fast as jedi. Here it may infer for
seconds, or die of it; in the interpreter of a model it would hold up each token.

Nothing of the project is run: jedi imports compiled modules to look into them, but only from the folders that it takes
for the interpreter's own, and these are our standard library; the project's packages are added as source.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jedi
from jedi.inference.names import SubModuleName

_NICE = 5
"""What others do at the same time comes first: its answers are late in any case."""
_MOST_FOLLOWED = 40
"""Imported names of a list whose kinds are looked up, which reads the modules that they come from: of pandas' 130 that
took 5 s, of numpy's 340 3.4 s, where the names themselves take 0.3 s."""
Params = dict[str, Any]
Told = dict[str, object]


class Inference:
    """jedi, looking into one project and its packages."""

    def __init__(self, root: str, packages: Sequence[str]) -> None:
        paths = sysconfig.get_paths()
        own = dict.fromkeys((paths["stdlib"], paths["platstdlib"], str(Path(paths["platstdlib"], "lib-dynload"))))
        self._project = jedi.Project(root, sys_path=list(own), added_sys_path=packages)
        self._environment = jedi.InterpreterEnvironment()

    def names(self, asked: Params) -> Told:
        """What any of the receiver's types has; the modules, exported names and parameters that it finds."""
        found = self._script(asked).complete(asked["line"], asked["column"])
        if asked["keywords"]:
            return {"names": {one.name[:-1]: "param" for one in found if one.name.endswith("=")}}
        return {"names": _kinds([one for one in found if one.name.isidentifier()])}

    def modules(self, asked: Params) -> Told:
        """The names of the modules that a file imports."""
        return {"modules": [one.name for one in self._script(asked).get_names() if one.type == "module"]}

    def signature(self, asked: Params) -> Told:
        """The first that may be meant."""
        found = self._script(asked).get_signatures(asked["line"], asked["column"])
        if not found:
            return {"why": "jedi knows no function that is called here"}
        one = found[0]
        about = one.docstring(raw=True).partition("\n\n")[0]
        parameters = [parameter.to_string() for parameter in one.params]
        return {"label": one.to_string(), "parameters": parameters, "active": one.index, "about": about}

    def describe(self, asked: Params) -> Told:
        """The first thing that the name may stand for."""
        found = self._script(asked).help(asked["line"], asked["column"])
        if not found:
            return {"why": "jedi does not know the name"}
        signatures = found[0].get_signatures()
        label = signatures[0].to_string() if signatures else found[0].description
        return {"label": label, "about": found[0].docstring(raw=True)}

    def _script(self, asked: Params) -> jedi.Script:
        return jedi.Script(asked["text"], path=asked["path"], project=self._project, environment=self._environment)


def _kinds(found: list[Any]) -> dict[str, str]:
    """What each name is; nothing is said of imported ones where there are many."""
    far = {one.name: kind for one in found if (kind := _far(one)) is not None}
    if len(far) <= _MOST_FOLLOWED:
        far = {}
    return far | {one.name: one.type for one in found if one.name not in far}


def _far(one: Any) -> str | None:  # noqa: ANN401 -- jedi's
    """What can be said of a name without reading another module; None where jedi would read none."""
    name = one._name  # nothing public tells it without doing it
    if isinstance(name, SubModuleName):
        return "module"
    tree = name.tree_name
    definition = None if tree is None else tree.get_definition()
    return "" if definition is not None and definition.type == "import_from" else None


def main() -> int:
    """Answer until nobody asks any more."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what others print is no answer
    inference: Inference | None = None
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        told: object = None
        if asked["method"] != "initialize":
            inference = inference or Inference(sys.argv[1], sys.argv[2:])
            told = _told(getattr(inference, asked["method"]), asked["params"])
        data = json.dumps({"id": asked["id"], "result": told}).encode()
        answers.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        answers.flush()
    return 0


def _told(ask: Callable[[Params], Told], params: Params) -> Told:
    try:
        return ask(params)
    except Exception as fault:  # noqa: BLE001 -- inference raises what it stumbles upon; it is told, not hidden
        return {"why": f"jedi: {type(fault).__name__}: {fault}"}


if __name__ == "__main__":
    sys.exit(main())
