"""Where TypeScript is found: the native server of version 7, or the one that older versions have in Node."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from context_index.disk import is_file, is_link, real
from context_index.modules.jsonc import read_jsonc
from context_index.oracles.older_typescript import OlderTypeScript
from context_index.oracles.places import Places
from context_index.oracles.typescript import TypeScript


def find_typescript(places: Places) -> TypeScript | None:
    """The native server: as set, in the workspace's node_modules, beside a `tsc` on the path; else an older one."""
    found = list(_node_modules(places))
    for modules in found:
        package = modules / "@typescript" / f"typescript-{_platform()}"
        binary = package / "lib" / ("tsc.exe" if sys.platform == "win32" else "tsc")
        if is_file(binary):
            return TypeScript(binary, _version(package, "7"))
    node = shutil.which("node")
    folders = places.folders() if places.trusted else ()
    sdks = [root / ".yarn" / "sdks" for root in folders]  # where yarn, which has no node_modules, keeps it
    for modules in (*sdks, *found) if node is not None else ():
        server = modules / "typescript" / "lib" / "tsserver.js"
        if node is not None and is_file(server):
            return OlderTypeScript(server, _version(server.parents[1], ""), node=Path(node))
    return None


def _version(package: Path, otherwise: str) -> str:
    return str(read_jsonc(package / "package.json").get("version") or otherwise)


def _node_modules(places: Places) -> Iterator[Path]:
    """The directories of packages that may hold it, the most particular first; none of a workspace not trusted."""
    if places.typescript is not None:
        given = places.typescript
        yield from (place / "node_modules" for place in (given, *given.parents))
        yield from (place for place in (given, *given.parents) if place.name == "node_modules")
    for place in dict.fromkeys(places.folders() if places.trusted else ()):
        modules = place / "node_modules"
        yield modules
        if is_link(modules / "typescript"):  # pnpm keeps packages elsewhere, each beside its dependencies
            yield real(modules / "typescript").parent
    if (found := shutil.which("tsc")) is not None:
        yield from (place for place in real(Path(found)).parents if place.name == "node_modules")
        yield from (place / "node_modules" for place in (Path(found).parent, Path(found).parent.parent / "lib"))


def _platform() -> str:
    """As npm names packages of native code."""
    machine = platform.machine().lower()
    processor = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(machine, machine)
    return f"{sys.platform}-{processor}"
