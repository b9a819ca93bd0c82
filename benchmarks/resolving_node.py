"""Node's word on whether paths lead anywhere, for `require` or for `import`."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

_SCRIPT = """
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
function leads(resolve) { try { return resolve(); } catch { return false; } }
for await (const line of createInterface({ input: process.stdin })) {
  const [file, paths] = JSON.parse(line);
  const required = createRequire(file);
  const imported = (path) => {
    const url = import.meta.resolve(path, pathToFileURL(file).href);
    if (!url.startsWith('file:')) return true;
    const found = fileURLToPath(url);
    return existsSync(found) && statSync(found).isFile();
  };
  const told = paths.map((path) => leads(() => Boolean(required.resolve(path))) || leads(() => imported(path)));
  console.log(JSON.stringify(told));
}
"""


class NodeResolver:
    """A process that is asked about one file's paths at a time."""

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None:
            raise SystemExit("node is not installed")
        command = [node, "--no-warnings", "--experimental-import-meta-resolve", "--input-type=module", "-e", _SCRIPT]
        self._process = subprocess.Popen(  # noqa: S603 - our own words
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def leads(self, importer: Path, paths: Sequence[str]) -> list[bool]:
        """Whether a file could require or import each path."""
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None  # noqa: S101 - both are pipes
        assert told is not None  # noqa: S101 - likewise
        asked.write(json.dumps([str(importer), list(paths)]) + "\n")
        asked.flush()
        answer: list[bool] = json.loads(told.readline())
        return answer

    def close(self) -> None:
        """Let it end."""
        self._process.communicate()
