"""Writes standard.tsv: asks TypeScript 7 for the members of ECMAScript's objects. Run in a checkout with `python -m`.

TypeScript is looked for from the current directory.
"""

from __future__ import annotations

from pathlib import Path

from context_index.oracles.oracle import Oracle
from context_index.oracles.places import Places
from context_index.oracles.server import Server
from context_index.oracles.typescript_places import find_typescript
from context_index.symbols import Language, NameKind, Open, Position
from context_index.text import Document

_EXAMPLES = {
    "Array": "[1]", "Boolean": "true", "Date": "new Date()", "Error": "new Error()", "Function": "(() => 1)",
    "Map": "new Map<string, string>()", "Number": "(1)", "Promise": "Promise.resolve(1)", "RegExp": "/a/",
    "Set": "new Set<string>()", "String": "'a'", "Symbol": "Symbol()",
    "Uint8Array": "new Uint8Array()", "WeakMap": "new WeakMap<object, string>()", "Object": "new Object()",
}  # fmt: skip
_PATIENCE = 60.0


def main() -> None:
    """Ask, and write."""
    here = Path.cwd()
    checker = find_typescript(Places((here,)))
    if checker is None:
        raise SystemExit("error: TypeScript is not found from here; run this where it is installed")
    oracle = Oracle([Server(checker, here)])
    lines = [f"# members of ECMAScript's objects, methods and properties; made by regenerate.py with {checker.name}"]
    for name, example in sorted(_EXAMPLES.items()):
        text = f"export {{}};\n{example}."
        document = Document((here / "members.ts").as_uri(), Language.TYPESCRIPT, text)
        members = oracle.names(document, len(text), Position.MEMBER).answer(_PATIENCE).members
        if isinstance(members, Open):
            raise SystemExit(f"error: {name}: {members.why}")
        methods = sorted(one for one, kind in members.names.items() if kind is NameKind.METHOD)
        others = sorted(one for one, kind in members.names.items() if kind is not NameKind.METHOD)
        lines.append(f"{name}\t{' '.join(methods)}\t{' '.join(others)}")
    oracle.close()
    Path(__file__).with_name("standard.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
