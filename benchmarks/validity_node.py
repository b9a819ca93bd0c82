"""Whether node can parse a text, asked of one process: starting node takes longer than the parsing.

What `node --check` does, by the same calls of V8: a CommonJS module is compiled as the body of a function, a module as
a module.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import suppress

_ANSWERS = """
const vm = require("node:vm");
const lines = require("node:readline").createInterface({ input: process.stdin });
const around = ["exports", "require", "module", "__filename", "__dirname"];
lines.on("line", (line) => {
  const { text, isModule } = JSON.parse(line);
  let parses = true;
  try {
    if (isModule) new vm.SourceTextModule(text);
    else vm.compileFunction(text, around);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    parses = false;
  }
  process.stdout.write(parses + "\\n");
});
"""


class NodeParser:
    """One node; started by the first question."""

    def __init__(self) -> None:
        self._node = shutil.which("node")
        self._process: subprocess.Popen[str] | None = None

    @property
    def is_there(self) -> bool:
        """Whether node was found."""
        return self._node is not None

    def parses(self, text: str) -> bool:
        """Whether it is a CommonJS module or, where it imports or exports, a module."""
        if self._process is None:
            assert self._node is not None  # noqa: S101 - `is_there` was asked
            command = [self._node, "--no-warnings", "--experimental-vm-modules", "--eval", _ANSWERS]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8")  # noqa: S603 - node
        talk = self._process
        assert talk.stdin is not None  # noqa: S101 - asked for one line above
        assert talk.stdout is not None  # noqa: S101 - a pipe, as asked for
        is_module = any(word in "\n" + text for word in ("\nimport ", "\nexport "))
        talk.stdin.write(json.dumps({"text": text, "isModule": is_module}) + "\n")
        talk.stdin.flush()
        answer = talk.stdout.readline().strip()
        if answer not in ("true", "false"):
            raise RuntimeError("node ended while it was asked whether a text parses")
        return answer == "true"

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            with suppress(BrokenPipeError):
                self._process.communicate(timeout=5)
            self._process = None
