"""Finds by which computed names a class asks for members of its own instances: `"do_" + word` in a library's `Cmd`.

Knows the sources of one class and of the modules beside it. What a checker says of libraries is in stubs, which have no
code, so the source is found for a stub.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from context_index.declarations import identifiers
from context_index.disk import is_file
from context_index.languages.python.name_nodes import first_parameter
from context_index.languages.python.text_parts import text_parts
from context_index.mentions import NamePattern, mention_rules, name_patterns
from context_index.symbols import Language
from context_index.syntax import Node, Syntax, ancestors, nodes_of, parse, parts_of
from context_index.text import Document

_ASKING = frozenset({"getattr", "hasattr"})
"""Functions that take a value and the name of a member (Library Reference, Built-in Functions)."""
_LISTING = "dir"
"""The function that lists the names of a value's members."""
_STUB, _SOURCE, _STANDARD = ".pyi", ".py", "stdlib"
_MOST_MODULES = 60
"""The most modules of a package that are read."""
_ANY = NamePattern("")
"""Any name."""


def source_of(declared: Path) -> Path | None:
    """The source of a module that a checker knows by a file, which may be a stub; None if there is none in Python."""
    if declared.suffix == _SOURCE:
        return declared
    parts = declared.with_suffix(_SOURCE).parts
    beside = [declared.with_suffix(_SOURCE)]
    if _STANDARD in parts:
        last = len(parts) - 1 - parts[::-1].index(_STANDARD)
        beside.append(Path(sysconfig.get_path(_STANDARD), *parts[last + 1 :]))
    return next(filter(is_file, beside), None)


@lru_cache(maxsize=64)
def patterns(declared: Path, line: int) -> tuple[NamePattern, ...]:
    """The names by which a class asks for members of its own instances.

    Where a name may be any, those count for which the package tests the names that it lists: `name.startswith("test")`.

    Args:
        declared: The file in which a checker finds the class.
        line: The line with the class's name there, counted from 0.
    """
    source = source_of(declared)
    stub = None if source is None else _read(declared)
    syntax = None if source is None else _read(source)
    if source is None or stub is None or syntax is None:
        return ()
    said = next((stub.text(name) for name in _names_of_classes(stub) if stub.line(name) == line), None)
    own = [name.parent for name in _names_of_classes(syntax) if syntax.text(name) == said]
    found = {pattern for node in own if node is not None for pattern in _asked_for(syntax, node)}
    if _ANY in found:
        found |= set(_tested_in(source.parent, said or ""))
    return tuple(sorted(found - {_ANY}, key=str))


def _read(path: Path) -> Syntax | None:
    """The tree of a file; None if it cannot be read."""
    try:
        return parse(Document(path.as_uri(), Language.PYTHON, path.read_text("utf-8")))
    except (OSError, ValueError):
        return None


def _names_of_classes(syntax: Syntax) -> Iterator[Node]:
    names = (node.child_by_field_name("name") for node in nodes_of(syntax, "class_definition"))
    return (name for name in names if name is not None)


def _asked_for(syntax: Syntax, of_class: Node) -> Iterator[NamePattern]:
    """The computed names with which the methods of a class ask for members of their first parameters."""
    for call in nodes_of(syntax, "call", within=of_class):
        function, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is None or given is None or syntax.text(function) not in _ASKING:
            continue
        value, key = (*parts_of(given), None, None)[:2]
        method = next((around for around in ancestors(call) if around.type == "function_definition"), None)
        first = None if method is None else first_parameter(method)
        if value is None or key is None or first is None or syntax.text(first) != syntax.text(value):
            continue
        for pattern in name_patterns(mention_rules(syntax), key) or [_ANY]:
            if not pattern.is_whole:  # a string without expressions in it is no computed name
                yield pattern


def _tested_in(package: Path, of_class: str) -> Iterator[NamePattern]:
    """The beginnings for which the modules of a package test names, if they say the name of a class."""
    for path in sorted(package.glob("*.py"))[:_MOST_MODULES] if is_file(package / "__init__.py") else ():
        syntax = _read(path)
        if syntax is not None and any(syntax.text(name) == of_class for name in identifiers(syntax)):
            yield from (NamePattern(text, is_only_tested=True) for text in _tested(syntax) if text)


def _tested(syntax: Syntax) -> Iterator[str]:
    """The strings with which names are tested by `startswith` in a module, in functions that list names by `dir`."""
    listing = set[Node]()
    for call in nodes_of(syntax, "call"):
        called = call.child_by_field_name("function")
        if called is not None and syntax.text(called) == _LISTING:
            listing |= set(_functions_around(call)[:1])
    for call in nodes_of(syntax, "call"):
        if listing.isdisjoint(_functions_around(call)):
            continue
        function, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        member = None if function is None else function.child_by_field_name("attribute")
        if member is None or given is None or syntax.text(member) != "startswith":
            continue
        for value in parts_of(given):
            name = value.child_by_field_name("attribute") or value
            values = [value] if value.type == "string" else list(_assigned(syntax, syntax.text(name)))
            written = (NamePattern.of_parts(text_parts(syntax, each)) for each in values)
            yield from (pattern.beginning for pattern in written if pattern.is_whole)


def _functions_around(node: Node) -> list[Node]:
    """The functions around a node, the innermost first."""
    return [around for around in ancestors(node) if around.type == "function_definition"]


def _assigned(syntax: Syntax, name: str) -> Iterator[Node]:
    """The strings that a module assigns to a name."""
    for assignment in nodes_of(syntax, "assignment"):
        left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
        if left is not None and right is not None and right.type == "string" and syntax.text(left) == name:
            yield right
