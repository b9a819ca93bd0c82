"""Writes standard.tsv and given.tsv: asks TypeScript 7 for the members of what needs no import.

Run in a checkout with `python -m`, where `@types/node` is installed; TypeScript is the one of `inscope setup`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from context_index.globals import global_names
from context_index.oracles.oracle import Oracle
from context_index.oracles.server import Server
from context_index.oracles.typescript import find_typescript
from context_index.symbols import Language, NameKind, Open, Position
from context_index.text import Document

_EXAMPLES = {
    "Array": "[1]", "Boolean": "true", "Date": "new Date()", "Error": "new Error()", "Function": "(() => 1)",
    "Map": "new Map<string, string>()", "Number": "(1)", "Promise": "Promise.resolve(1)", "RegExp": "/a/",
    "Set": "new Set<string>()", "String": "'a'", "Symbol": "Symbol()",
    "Uint8Array": "new Uint8Array()", "WeakMap": "new WeakMap<object, string>()", "Object": "new Object()",
}  # fmt: skip
_PAGE = (
    *("CSS", "caches", "customElements", "document", "history", "indexedDB", "localStorage", "location", "navigator"),
    *("screen", "sessionStorage"),
)
"""What a browser gives a page, `window` aside, to which everybody adds; its classes have few members themselves."""
_MODULE = ("crypto", "module", "performance", "process", "require")
"""What Node gives a module; `exports` is there to be added to."""
_CALLED = frozenset({NameKind.METHOD, NameKind.FUNCTION})
_PATIENCE = 60.0


def main() -> None:
    """Ask, and write both."""
    here = Path.cwd()
    checker = find_typescript(None, (), trusted=False)
    oracle = Oracle([Server(checker, here)])
    made = f"methods and properties; made by regenerate.py with {checker.name}"
    _write("standard", f"# members of ECMAScript's objects, {made}", _rows(oracle, here, _EXAMPLES))
    _write("given", f"# members of what every file is given, {made}", _rows(oracle, here, _given()))
    oracle.close()


def _given() -> Mapping[str, str]:
    """The classes and namespaces of ECMAScript and Node, and the objects of Node and a page."""
    names = global_names(Language.TYPESCRIPT).values()
    kinds = (NameKind.CLASS, NameKind.NAMESPACE)
    known = (name.text for name in names if name.kind in kinds and name.detail != "dom" and name.text != "NodeJS")
    return {name: name for name in (*known, *_MODULE, *_PAGE)}


def _rows(oracle: Oracle, here: Path, examples: Mapping[str, str]) -> Mapping[str, Mapping[str, NameKind]]:
    """What each of the expressions has."""
    rows = {}
    for name, example in sorted(examples.items()):
        text = f'/// <reference types="node" />\nexport {{}};\n{example}.'
        document = Document((here / "members.ts").as_uri(), Language.TYPESCRIPT, text)
        members = oracle.names(document, len(text), Position.MEMBER).answer(_PATIENCE).members
        if isinstance(members, Open):
            raise SystemExit(f"error: {name}: {members.why}")
        rows[name] = members.names
    return rows


def _write(table: str, head: str, rows: Mapping[str, Mapping[str, NameKind]]) -> None:
    lines = [head]
    for name, members in rows.items():
        methods = sorted(one for one, kind in members.items() if kind in _CALLED)
        others = sorted(members.keys() - set(methods))
        lines.append(f"{name}\t{' '.join(methods)}\t{' '.join(others)}")
    Path(__file__).with_name(f"{table}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
