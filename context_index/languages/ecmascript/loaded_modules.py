"""What a text of JavaScript or TypeScript does with the modules that it loads: with `import`, `import()` and `require`.

`mentions` inherits the answers. The base class says what each question is for: `context_index/mentions/rules.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from context_index.declarations import identifiers
from context_index.mentions import MentionRules
from context_index.syntax import Node, ancestors, first_part, nodes_of, parts_of

_IMPORT_REQUIRE = "import_require_clause"
"""TypeScript's `import cart = require("./cart")`."""
SPECIFIERS = frozenset({"export_specifier", "import_specifier"})
"""The nodes of one name in the braces of an import or an export."""


@dataclass(frozen=True, slots=True)
class _Load:
    """A call that loads a module, such as `require("./cart")`."""

    call: Node
    specifier: Node | None
    """What says which module, `"./cart"`; None without an argument."""


@dataclass(frozen=True, slots=True)
class _Taken:
    """What a text takes of a module that a call loads."""

    node: Node | None = None
    """The name `cart` that the module gets, the pattern `{ total }` or the member `total` that is taken of it, or the
    statement of an import for its effects alone; None if the call is part of another expression."""

    @property
    def is_handed_on(self) -> bool:
        """Whether other code may get the module, as in `show(require("./cart"))`."""
        return self.node is None

    @property
    def name(self) -> Node | None:
        """The name that all of the module gets: `cart` of `const cart = require("./cart")`; None without one."""
        return self.node if self.node is not None and self.node.type == "identifier" else None


class EcmascriptModules(MentionRules):
    """The questions about imports and about modules as values."""

    OTHER_FINDERS: ClassVar[frozenset[str]] = frozenset({"import", "require"})
    """The functions that take a module's name, as TypeScript reads them."""

    @cached_property
    def imported_names(self) -> frozenset[str]:
        """The names in clauses of imports, and those that get what a call loads.

        Those of `import { total } from "./cart"` and `const cart = require("./cart")` are `total` and `cart`.
        """
        clauses = nodes_of(self.syntax, "import_clause", _IMPORT_REQUIRE)
        bound = [name for clause in clauses for name in identifiers(self.syntax, self.syntax.span(clause))]
        for load in self._loads():
            node = _taken_of(load.call).node
            bound += [] if node is None else identifiers(self.syntax, self.syntax.span(node))
        return frozenset(map(self.syntax.text, bound))

    def module_of_import(self, offset: int) -> int | None:
        """Where `shop` begins in `import { total } from "shop"`, for `total`; None for `"./shop"`, a path."""
        node = self.node(offset)
        specifier = node.parent
        if specifier is None or specifier.type not in SPECIFIERS or specifier.child_by_field_name("name") != node:
            return None
        statement = next((around for around in ancestors(specifier) if around.type.endswith("_statement")), None)
        source = None if statement is None else statement.child_by_field_name("source")
        if source is None or self.syntax.text(source)[1:2] == ".":
            return None
        return self.syntax.start(source) + 1

    def star_exports(self) -> Iterator[str]:
        """The sources of exports with a `*`: `./cart` of `export * from "./cart"`."""
        for statement in nodes_of(self.syntax, "export_statement"):
            source = statement.child_by_field_name("source")
            if source is not None and any(child.type == "*" for child in statement.children):
                yield self.syntax.text(source).strip("'\"")

    def _modules_said(self, modules: Collection[str]) -> Iterator[Node]:
        """The names that all of a module gets, and what may load any module: `import(path)`.

        After `import * as cart from "./cart"` each later `cart` is one.
        """
        bound = [name for clause in nodes_of(self.syntax, "namespace_import") for name in parts_of(clause)]
        for clause in nodes_of(self.syntax, _IMPORT_REQUIRE):
            source = clause.child_by_field_name("source")
            if source is not None and self._is_path_of(source, {*modules, ""}):
                bound += [name for name in parts_of(clause) if name.type == "identifier"]
        for load in self._loads():
            if load.specifier is None or load.specifier.type != "string":
                yield load.call
            elif self._is_path_of(load.specifier, {*modules, ""}):
                taken = _taken_of(load.call)
                if taken.is_handed_on:
                    yield load.call
                elif taken.name is not None:
                    bound.append(taken.name)
        yield from self._paths_for_others(modules)
        texts = set(map(self.syntax.text, bound))
        for node in identifiers(self.syntax):
            is_name = node.parent is not None and node.parent.child_by_field_name("name") == node
            if node.type == "identifier" and self.syntax.text(node) in texts and not (is_name or node in bound):
                yield node

    def _asks_member(self, node: Node) -> bool:
        """Whether a member is said after a module's name: in `cart.total` and `cart["total"]`, not in `cart[key]`."""
        parent = node.parent
        if parent is not None and parent.type == "subscript_expression":
            index = parent.child_by_field_name("index")
            return index is not None and index.type == "string"
        return self._is_receiver(node)

    def _loads(self) -> Iterator[_Load]:
        """The calls that load a module, as TypeScript reads them."""
        for call in nodes_of(self.syntax, "call_expression"):
            function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            if function is not None and arguments is not None and self.syntax.text(function) in self.OTHER_FINDERS:
                yield _Load(call, first_part(arguments))

    def _paths_for_others(self, modules: Collection[str]) -> Iterator[Node]:
        """The strings with a path of one of some modules that are for other functions: one of them may import it.

        Of `register("./cart")` it is `"./cart"`.
        """
        specifiers = [load.specifier for load in self._loads()]
        for string in nodes_of(self.syntax, "string"):
            is_source = string.parent is not None and string.parent.child_by_field_name("source") == string
            is_path = "/" in self.syntax.text(string) and self._is_path_of(string, modules)
            if is_path and not is_source and string not in specifiers:
                yield string

    def _is_path_of(self, specifier: Node, modules: Collection[str]) -> bool:
        """Whether the last part of a string's path is one of some modules, with or without a suffix."""
        return self.syntax.text(specifier).strip("'\"`").rpartition("/")[2].partition(".")[0] in modules


def _taken_of(call: Node) -> _Taken:
    """What a text takes of the module that a call loads.

    An import may be awaited before that, or give the module to a callback: `import("./cart").then((cart) => ...)`.
    """
    function = call.child_by_field_name("function")
    value, is_promise = call, function is not None and function.type == "import"
    for around in ancestors(call):
        if around.type not in ("await_expression", "parenthesized_expression"):
            break
        value, is_promise = around, is_promise and around.type != "await_expression"
    holder = value.parent
    if holder is None or holder.type == "expression_statement":
        return _Taken(holder)
    if holder.type == "member_expression":
        return _Taken(_parameter_of_callback(holder) if is_promise else holder.child_by_field_name("property"))
    return _Taken(holder.child_by_field_name("name") if holder.type == "variable_declarator" else None)


def _parameter_of_callback(method: Node) -> Node | None:
    """The first parameter of the function that is the first argument of a call: of `then((cart) => ...)`."""
    arguments = None if method.parent is None else method.parent.child_by_field_name("arguments")
    function = first_part(arguments)
    parameters = None if function is None else function.child_by_field_name("parameters")
    if parameters is None:
        return None if function is None else function.child_by_field_name("parameter")
    first = first_part(parameters)
    return first if first is None else first.child_by_field_name("pattern") or first
