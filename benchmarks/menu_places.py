"""Menus at frozen places where a menu is easily empty, in packages held out: is the true name in the list?

    inscope bench menu_places                               ask for the menus of the last set
    inscope bench menu_places --set heldout                 ask for the menus of the first one
    inscope bench menu_places --draw heldout3 --seed 63     draw a set, once: what is frozen is never overwritten

jsx            The name of a tag, of a closing tag or of an attribute, and a name in braces.
comprehension  A member in a comprehension or a generator of Python.
super          A member of `super()`.
import         The module of an import whose names are there, and a name of an import whose module is there. An import
               without names is no such place, as nothing says which module it means.
key            A pair of an object literal; at some of them the comma before it is missing, too.

The place is taken out of a finished file, and the menu is asked for with nothing typed. A place counts if the checker
knows a definition of the name in the intact file that is not the place itself.

The misses of `heldout` were looked at: two mechanisms of the menu came from them, and twelve of its places were drawn
again later, by another program. `heldout2` (seed 62) and `heldout3` (seed 63) were drawn afterwards, once each, by this
program as it is, from files of the same packages in which no earlier set has a place. Each was frozen before a menu was
asked for, and nothing was changed for its misses.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import places
from benchmarks.documents import document, text_of
from benchmarks.timing import machine_line
from benchmarks.verification_places import nodes
from context_index import CheckerError, Node, Syntax, Workspace, ancestors, parse
from lsp_server.engine.menu.candidates import Lister
from lsp_server.engine.site import Site

KINDS = ("jsx", "comprehension", "super", "import", "key")
NAMES = ("heldout", "heldout2", "heldout3")
"""The frozen sets, in the order in which they were drawn. No file is in two of them."""
COUNT = 12
"""Places of a kind."""
_SETS = ("pauses-heldout", "heldout2")
"""The sets of packages that places are drawn from."""
_FILES, _OF_A_FILE, _OF_A_PACKAGE = 40, 1, 4
"""Files that are looked at in a package, and places of a kind in a file and in a package."""
_PATIENCE_S = 60.0
"""How long the checker may take for an answer."""
_COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)
_WORDS = frozenset({"identifier", "property_identifier"})


@dataclass(frozen=True, slots=True)
class MenuPlace:
    """A stretch of a file that is taken out; the menu is asked for where it begins."""

    package: str
    language: str
    """The package's, as `packages.json` has it."""
    file: str
    start: int
    end: int
    """Where the stretch begins and ends, in code points of the intact file."""
    comma: int | None
    """Where the comma before the stretch is, which is taken out too; None where no comma is taken out."""
    name: str
    """What must be listed."""
    kind: str
    """One of `KINDS`."""
    sha256: str
    """The hash of the file's text."""

    def torn(self, text: str) -> tuple[str, int]:
        """The file's text without the stretch, and the offset there at which the menu is asked for."""
        before = text[: self.start]
        if self.comma is not None:
            before = before[: self.comma] + before[self.comma + 1 :]
        return before + text[self.end :], len(before)


def main() -> int:
    """Draw the places, or ask for the menus and print a line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=NAMES, default=NAMES[-1], help="the places that are asked about")
    parser.add_argument("--draw", choices=NAMES, help="draw this set and freeze it, and ask for no menu")
    parser.add_argument("--seed", type=int, default=61)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.draw:
        _freeze(arguments.draw, arguments.seed)
        return 0
    listed: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for place, is_listed in listings(load(arguments.set)):
        asked[place.kind] += 1
        listed[place.kind] += is_listed
        if not is_listed:
            print(f"not listed: {place.kind} {place.package}/{place.file}:{place.start} {place.name}", file=sys.stderr)
    figures = {kind: {"listed": listed[kind], "asked": asked[kind]} for kind in KINDS}
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(machine_line())
        print(*(f"{kind:14} {row['listed']} of {row['asked']}" for kind, row in figures.items()), sep="\n")
        print(f"{'all':14} {listed.total()} of {asked.total()}")
    return 0


def load(name: str) -> list[MenuPlace]:
    """The places of a frozen set."""
    return [MenuPlace(**json.loads(line)) for line in _frozen_file(name).read_text("utf-8").splitlines()]


def _frozen_file(name: str) -> Path:
    return Path(__file__).with_name("places") / f"menus-{name}.jsonl"


def listings(asked: list[MenuPlace]) -> Iterator[tuple[MenuPlace, bool]]:
    """Each place, and whether its menu lists the true name.

    Raises:
        SystemExit: a file is not the one that was frozen.
    """
    roots = _roots()
    for package in dict.fromkeys((place.language, place.package) for place in asked):
        root = roots[package]
        workspace = Workspace((root,))
        workspace.index()
        lister = Lister()
        try:
            for place in (place for place in asked if (place.language, place.package) == package):
                text = text_of(root / place.file)
                if places.digest(text) != place.sha256:
                    raise SystemExit(f"error: {root / place.file} is not the file that was frozen")
                torn, offset = place.torn(text)
                shown = document(root / place.file, torn)
                workspace.read_libraries(shown, _PATIENCE_S)
                menu = lister.at(Site(workspace, parse(shown), offset), _PATIENCE_S)
                yield place, place.name in {item.name for item in menu.items}
        finally:
            workspace.close()


def _roots() -> Mapping[tuple[str, str], Path]:
    """The folder of each package, by its language and name."""
    return {
        (language, package): root
        for name in _SETS
        for language in ("python", "javascript", "typescript", "tsx", "jsx")
        for package, root in places.packages(name, language).items()
    }


def _freeze(name: str, seed: int) -> None:
    """Draw the places of a set and write them to its file, which must not exist: of each kind, packages in turn."""
    path = _frozen_file(name)
    if path.exists():
        raise SystemExit(f"error: {path} is frozen. Places are drawn once; a new set gets a new name.")
    earlier_sets = [earlier for earlier in NAMES if _frozen_file(earlier).exists()]
    taken = {(place.package, place.file) for earlier in earlier_sets for place in load(earlier)}
    rng = random.Random(seed)  # noqa: S311 - a reproducible draw
    drawn: dict[str, list[list[MenuPlace]]] = {kind: [] for kind in KINDS}
    """By kind: the places of each package."""
    for (language, package), root in _roots().items():
        free = [file for file in places.sources(language, root) if (package, _file(root, file)) not in taken]
        for kind, of_package in _draw_in_package(language, package, root, free, rng).items():
            drawn[kind].append(of_package)
        counts = {kind: sum(map(len, by_package)) for kind, by_package in drawn.items()}
        print(package, counts, file=sys.stderr, flush=True)
    lines = []
    for by_package in drawn.values():
        rng.shuffle(by_package)
        in_turn = [
            of_package[number]
            for number in range(_OF_A_PACKAGE)
            for of_package in by_package
            if number < len(of_package)
        ]
        lines += [json.dumps(asdict(place)) for place in in_turn[:COUNT]]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _draw_in_package(
    language: str, package: str, root: Path, paths: Sequence[Path], rng: random.Random
) -> dict[str, list[MenuPlace]]:
    """A few places of each kind in random files of a package."""
    drawn: dict[str, list[MenuPlace]] = {kind: [] for kind in KINDS}
    workspace = Workspace((root,))
    try:
        for path in rng.sample(paths, min(len(paths), _FILES)):
            syntax = places.parse_file(path)
            if syntax is None:
                continue
            possible = list(stretches(syntax))
            for kind in KINDS:
                of_kind = [stretch for stretch in possible if stretch.kind == kind]
                rng.shuffle(of_kind)
                known = (stretch for stretch in of_kind[:3] if _is_known(workspace, syntax, stretch))
                for stretch in (stretch for stretch, _ in zip(known, range(_OF_A_FILE), strict=False)):
                    if len(drawn[kind]) < _OF_A_PACKAGE:
                        file, digest = _file(root, path), places.digest(syntax.document.text)
                        cut = stretch.start, stretch.end, stretch.comma
                        drawn[kind].append(MenuPlace(package, language, file, *cut, stretch.name, kind, digest))
    finally:
        workspace.close()
    return drawn


def _file(root: Path, path: Path) -> str:
    """The path within a package, as the frozen files have it."""
    return path.relative_to(root).as_posix()


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What may be taken out of a file; the fields are those of `MenuPlace`."""

    kind: str
    name: str
    at: int
    """Where the name is."""
    start: int
    end: int
    comma: int | None = None


def _is_known(workspace: Workspace, syntax: Syntax, stretch: _Stretch) -> bool:
    """Whether the checker knows a definition of the name, in the intact file, that is not the name's place itself."""
    try:
        checker = workspace.checker_of(syntax.document)
        answer = checker.ask(syntax.document, lambda query: query.diagnostics_and_definitions([stretch.at])[1])
        definitions = answer.result(_PATIENCE_S)[stretch.at]
    except (CheckerError, TimeoutError):
        return False
    return any(definition != stretch.at for definition in definitions)


def stretches(syntax: Syntax) -> Iterator[_Stretch]:
    """Everything that may be taken out of a file, of all kinds."""
    for node in nodes(syntax.root):
        if syntax.language.family == "python":
            yield from _python_stretches(syntax, node)
        else:
            yield from _script_stretches(syntax, node)


def _python_stretches(syntax: Syntax, node: Node) -> Iterator[_Stretch]:
    """What may be taken out at a node of a Python file."""
    if node.type == "attribute":
        name, receiver = node.child_by_field_name("attribute"), node.child_by_field_name("object")
        if name is None or receiver is None:
            return
        is_super = receiver.type == "call" and syntax.text(receiver).startswith("super(")
        if is_super or any(ancestor.type in _COMPREHENSIONS for ancestor in ancestors(node)):
            yield _from_name(syntax, "super" if is_super else "comprehension", name)
    elif node.type == "import_from_statement":
        module = node.child_by_field_name("module_name")
        names = node.children_by_field_name("name")
        if module is not None and module.type == "dotted_name":
            yield _from_name(syntax, "import", module)
        yield from (_from_name(syntax, "import", name) for name in names[-1:] if name.type == "dotted_name")


def _script_stretches(syntax: Syntax, node: Node) -> Iterator[_Stretch]:
    """What may be taken out at a node of a JavaScript or TypeScript file."""
    match node.type:
        case "jsx_self_closing_element" if (name := node.child_by_field_name("name")) is not None:
            yield _from_name(syntax, "jsx", name, syntax.end(node))
        case "jsx_closing_element" if (name := node.child_by_field_name("name")) is not None:
            yield _from_name(syntax, "jsx", name)
        case "jsx_attribute" if node.named_child_count:
            yield _from_name(syntax, "jsx", node.named_children[0], syntax.end(node))
        case "jsx_expression":
            first = next((word for word in nodes(node) if word.type in _WORDS), None)
            if first is not None and first.start_byte == node.start_byte + 1:
                yield _from_name(syntax, "jsx", first, syntax.end(node) - 1)
        case "string_fragment" if _is_module_of_names(node):
            yield _from_name(syntax, "import", node)
        case "import_specifier" if node.named_child_count:
            yield _from_name(syntax, "import", node.named_children[0], syntax.end(node))
        case "pair" if (key := node.child_by_field_name("key")) is not None and key.type == "property_identifier":
            yield _pair_stretch(syntax, node, key)


def _is_module_of_names(fragment: Node) -> bool:
    """Whether a string is the module of an import that has names."""
    string = fragment.parent
    statement = None if string is None else string.parent
    if statement is None or statement.type != "import_statement":
        return False
    return any(child.type == "import_clause" for child in statement.named_children)


def _from_name(syntax: Syntax, kind: str, name: Node, end: int | None = None) -> _Stretch:
    """The stretch from the beginning of a name to `end`, or to the name's own end."""
    start = syntax.start(name)
    return _Stretch(kind, syntax.text(name), start, start, syntax.end(name) if end is None else end)


def _pair_stretch(syntax: Syntax, pair: Node, key: Node) -> _Stretch:
    """A pair with the comma after it; of a pair on a line of its own, at an even offset, the comma before it too."""
    text, (start, end) = syntax.document.text, syntax.span(pair)
    before, after = pair.prev_sibling, pair.next_sibling
    end = syntax.end(after) if after is not None and after.type == "," else end
    is_below = before is not None and before.type == "," and "\n" in text[syntax.end(before) : start]
    comma = syntax.start(before) if before is not None and is_below and start % 2 == 0 else None
    return _Stretch("key", syntax.text(key), start, start, end, comma)


if __name__ == "__main__":
    sys.exit(main())
