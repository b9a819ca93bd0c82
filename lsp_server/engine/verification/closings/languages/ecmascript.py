"""JavaScript and TypeScript: bodies by braces, handlers, tags, and as many placeholders as the checker asks for."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from context_index import Edit, continues_identifier
from decoder import PLACEHOLDER
from lsp_server.engine.verification.candidate import Applied, within
from lsp_server.engine.verification.closings.fill import BoundLater, Fill
from lsp_server.engine.verification.closings.languages.ecmascript_patterns import expected_type

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from context_index import Diagnostic, Item, Node, Syntax
    from lsp_server.engine.verification.closings.fill import Asked
    from lsp_server.engine.verification.closings.opened import Opened

_EXCUSED_WHILE_OPEN = frozenset({
    "2564", "2377", "2454", "6133", "7010", "7034", "2515", "2653", "2654", "2655", "2656",
})  # fmt: skip
"""A property that no constructor sets yet, a constructor before `super()`, a variable before it is assigned or used, a
signature without its type, an array before anything is put in; members that an abstract class wants."""
_UNRESOLVED = frozenset({"2304", "2552", "2693", "18004"})
"""The last but one: a type where a value is wanted, as `f<A,` is read before its `>` has come."""
_TOO_FEW = frozenset({"2554", "2555", "2794"})
"""`Expected 2 arguments, but got 1`, `Expected at least 2 arguments, but got 1`, and the first for a promise's end."""
_NOT_ASSIGNABLE = "2322"
"""Of a tuple its last line says `Source has 1 element(s) but target requires 2`."""
_GENERIC = frozenset({"2314", "2707"})
"""`Generic type 'A<T, U>' requires 2 type argument(s)`, `between 1 and 2`."""
_JOINING = frozenset({"||", "&&", "??"})
"""Operators whose value may be either operand's."""
_TAGS = ("jsx_opening_element", "jsx_self_closing_element")
_OF_TYPES = ("object_type", "interface_body")
_SIGNATURES = ("function_signature", "method_signature")
_TYPES = ("interface_body", "object_type", "ambient_declaration")
"""Where signatures have no bodies."""
_COMMENT = "/*"
"""Begins a comment: after the text in one, it is mostly another's beginning, which brings the end of both."""
_MOST_KEYS = 60
"""More properties than a person writes are no object's required ones."""


class EcmaScript:
    """The record of JavaScript and TypeScript."""

    comprehensions = ()
    excused_while_open = _EXCUSED_WHILE_OPEN
    unresolved = _UNRESOLVED
    flush_in_blocks = False

    def __init__(self, *, typed: bool) -> None:
        self._typed = typed

    def required(self, opened: Opened) -> list[Edit]:
        """What `try`, `if`, signatures, patterns, attributes, closing tags and imports lack."""
        return [*self._endings(opened), *self._tags(opened), *self._sources(opened), *self._values(opened)]

    def bound_later(self, applied: Applied) -> BoundLater:  # noqa: ARG002 - other languages have such brackets
        """Nowhere: parameters stand before their function's body."""
        return BoundLater()

    def filled(self, opened: Opened, fill: Fill, found: Sequence[Diagnostic], asked: Asked) -> list[Edit]:
        """Endings of bodies, members of classes, and what open brackets lack."""
        edits = [*self._bodies(opened, fill), *self._neutral(opened)]
        if fill is not Fill.BARE:
            edits += self._brackets(opened, found, asked)
            edits += self._classes(opened)
            edits += self._taken_apart(opened)
        return edits

    def _endings(self, opened: Opened) -> Iterator[Edit]:
        syntax = opened.syntax
        for node in opened.ended():
            end = syntax.end(node)
            if node.type == "try_statement":
                if not (node.child_by_field_name("handler") or node.child_by_field_name("finalizer")):
                    yield Edit(end, end, " finally {}")
            elif node.type == "if_statement":
                yield from self._consequence(opened, node)
            elif node.type == "variable_declarator" and _lacks_value(node):
                yield Edit(end, end, f" = {PLACEHOLDER}")
            elif node.type in _SIGNATURES and node.parent is not None and node.parent.type not in _TYPES:
                yield from self._implementation(opened, node)

    @staticmethod
    def _consequence(opened: Opened, statement: Node) -> Iterator[Edit]:
        """A block: TypeScript refuses `if (a);`."""
        body = statement.child_by_field_name("consequence")
        if body is not None and body.type == "empty_statement" and opened.syntax.start(body) >= opened.text_end:
            place = opened.syntax.start(body)
            yield Edit(place, place, "{}")

    def _implementation(self, opened: Opened, signature: Node) -> Iterator[Edit]:
        """A body for a signature, or after one that the person has ended an implementation of the overloads."""
        syntax, name = opened.syntax, signature.child_by_field_name("name")
        following, end = signature.next_sibling, syntax.end(signature)
        exported = _exported(signature)
        below = (signature if exported is None else exported).next_named_sibling
        if below is not None and name is not None and _declares(syntax, below, syntax.text(name)):
            return
        sign = next(
            (node for node in (following, signature.children[-1]) if node is not None and node.type == ";"), None
        )
        if sign is None or opened.closed.is_in_closing(*syntax.span(sign)):
            place = end if sign is None else syntax.start(sign)
            yield Edit(place, place, " { throw 0; }")
        elif name is not None:
            word = "function " if signature.type == "function_signature" else ""
            static = "static " if any(one.type == "static" for one in signature.children) else ""
            head = f"{'export ' if exported else ''}{static}{word}{syntax.text(name)}"
            yield Edit(syntax.end(sign), syntax.end(sign), f"\n{head}(...{PLACEHOLDER}: any): any {{ throw 0; }}")

    def mismatches(self, opened: Opened) -> int:
        """How many elements around the text are closed by another's tag, and its comment by another's end."""
        pairs = (_names(opened.syntax, node) for node in opened.around() if node.type == "jsx_element")
        comments = (node for node in islice(opened.around(), 1) if node.type == "comment")
        swallowed = (opened.closed.document.text[opened.text_end : opened.syntax.end(node)] for node in comments)
        return sum(first != last for first, last in pairs) + sum(_COMMENT in below for below in swallowed)

    def _tags(self, opened: Opened) -> Iterator[Edit]:
        """The names in tags that only what closes the document has."""
        syntax = opened.syntax
        for node in opened.around():
            last = node.child_by_field_name("close_tag") if node.type == "jsx_element" else None
            if last is None or _names(syntax, node)[1]:
                continue
            start, place = syntax.start(last), syntax.start(last) + len("</")
            if opened.closed.is_in_closing(start, place):
                yield Edit(place, place, _names(syntax, node)[0])

    @staticmethod
    def _values(opened: Opened) -> Iterator[Edit]:
        """The value of an attribute."""
        for node, place in opened.bracketed():
            around = node.parent
            is_value = node.type == "jsx_expression" and around is not None and around.type == "jsx_attribute"
            if is_value and not node.named_child_count:
                yield Edit(place, place, PLACEHOLDER)

    @staticmethod
    def _sources(opened: Opened) -> Iterator[Edit]:
        """The module that a closing imports from: an empty name would be the file's own."""
        for node in opened.around():
            source = node.child_by_field_name("source")
            if source is not None and opened.syntax.start(source) >= opened.text_end and not source.named_child_count:
                place = opened.syntax.end(source) - 1
                yield Edit(place, place, PLACEHOLDER)

    def _bodies(self, opened: Opened, fill: Fill) -> Iterator[Edit]:
        for node, place in opened.bracketed():
            function = node.parent
            names = ("parameters", "parameter")
            if (
                node.type == "statement_block"
                and function is not None
                and any(map(function.child_by_field_name, names))
            ):
                yield Edit(place, place, self._last_statement(function, fill))

    @staticmethod
    def _last_statement(function: Node, fill: Fill) -> str:
        if fill is Fill.BARE:
            return "\nthrow 0;"
        if function.type.startswith("generator") or any(one.type == "*" for one in function.children):
            return f"\nyield {PLACEHOLDER}; return {PLACEHOLDER};"
        return f"\nreturn {PLACEHOLDER};"

    def _neutral(self, opened: Opened) -> Iterator[Edit]:
        """Placeholders that are one of two values are of the type that adds nothing to a union."""
        for start, end in opened.closed.closings:
            for node in within(opened.syntax, start, end):
                around = node.parent
                if node.type != "identifier" or around is None or opened.syntax.text(node) != PLACEHOLDER:
                    continue
                operator = around.child_by_field_name("operator")
                is_joined = operator is not None and operator.type in _JOINING and around.type == "binary_expression"
                if is_joined or (around.type == "ternary_expression" and node != around.children[0]):
                    yield from self._cast(opened, node, "never")

    def _cast(self, opened: Opened, placeholder: Node, kind: str) -> Iterator[Edit]:
        """A placeholder is of a type."""
        first, last = opened.syntax.span(placeholder)
        if self._typed:
            yield Edit(last, last, f" as {kind}")
        else:
            yield Edit(first, first, f"(/** @type {{{kind}}} */ (")
            yield Edit(last, last, "))")

    def _taken_apart(self, opened: Opened) -> Iterator[Edit]:
        """The types of values that the closing brings and a pattern takes apart."""
        for node in opened.around():
            pattern, value = (node.child_by_field_name(field) for field in ("name", "value"))
            if pattern is None or value is None or opened.syntax.text(value) != PLACEHOLDER:
                continue
            kind = expected_type(opened.syntax, pattern)
            if opened.closed.is_in_closing(*opened.syntax.span(value)) and kind != PLACEHOLDER:
                yield from self._cast(opened, value, kind)

    def _brackets(self, opened: Opened, found: Sequence[Diagnostic], asked: Asked) -> Iterator[Edit]:
        if (tag := opened.tag()) is not None and tag[0].type in _TAGS:
            inside = _before_slash(opened.syntax, *tag)
            attributes = _attributes(asked, opened.syntax, tag[0], inside)
            yield Edit(inside, inside, "".join(f" {key}={{{PLACEHOLDER}}}" for key in attributes))
        if (inner := opened.brackets()) is not None and inner[0].type == "object" and inner[1] >= opened.reach:
            separator = opened.separated(inner[0], opened.end)
            keys = _keys(asked, opened.syntax, inner[0], opened.end, separator)
            more = "".join(f"{key}: {PLACEHOLDER}," for key in keys)  # other keys follow
            yield Edit(opened.end, opened.end, separator * bool(keys) + more)
        for node, place in opened.bracketed():
            if node.type in _OF_TYPES and not any(_is_mapped(one) for one in node.named_children):
                yield Edit(place, place, f"; [{PLACEHOLDER}: string]: any")
            elif self._typed and node.type.endswith("_pattern") and _lacks_type(node.parent):
                end = opened.syntax.end(node)
                yield Edit(end, end, f": {expected_type(opened.syntax, node)}")
            elif lacking := self._lacking(opened, node, place, found, asked):
                yield Edit(place, place, opened.separated(node, place) + ", ".join(lacking))

    @staticmethod
    def _lacking(opened: Opened, node: Node, place: int, found: Sequence[Diagnostic], asked: Asked) -> Sequence[str]:
        """What is still to come between brackets, as far as the checker asks for it."""
        syntax, separator = opened.syntax, opened.separated(node, place)
        given = sum(one.type != "comment" for one in node.named_children)
        match node.type:
            case "arguments" if node.parent is not None:
                around = syntax.start(node.parent)
                errors = [one for one in found if one.code in _TOO_FEW and around <= one.start < place]
                count = _required_count(errors, given)
                return [PLACEHOLDER] * (_by_signature(asked, place, separator, given) if count is None else count)
            case "array":
                return [PLACEHOLDER] * _elements([one for one in found if one.code == _NOT_ASSIGNABLE], given)
            case "object":
                return [f"{key}: {PLACEHOLDER}" for key in _keys(asked, syntax, node, place, separator)]
            case "type_arguments" if node.parent is not None:
                around = syntax.start(node.parent)
                errors = [one for one in found if one.code in _GENERIC and one.start == around]
                return [PLACEHOLDER] * (_required_count(errors, given, of=0) or 0)
        return ()

    def _classes(self, opened: Opened) -> Iterator[Edit]:
        """Classes merged with the interfaces that they say they implement."""
        syntax = opened.syntax
        for node, _ in opened.bracketed():
            declared = node.parent
            if not self._typed or node.type != "class_body" or declared is None or declared.type != "class_declaration":
                continue
            for heritage in declared.children:
                for clause in heritage.children if heritage.type == "class_heritage" else ():
                    if clause.type == "implements_clause":
                        types = " & ".join(map(syntax.text, clause.named_children))
                        yield self._merged(opened, declared, types)

    @staticmethod
    def _merged(opened: Opened, declared: Node, types: str) -> Edit:
        syntax = opened.syntax
        name, parameters = declared.child_by_field_name("name"), declared.child_by_field_name("type_parameters")
        written = "".join(syntax.text(one) for one in (name, parameters) if one is not None)
        exported = _exported(declared)
        end = syntax.end(exported or declared)
        word = "export " if exported else ""
        return Edit(end, end, f"\n{word}interface {written} extends Record<keyof ({types}), any> {{}}")


def _is_mapped(member: Node) -> bool:
    """Whether a member of a type is `[key in keys]: type`, which stands alone."""
    return any(one.type == "mapped_type_clause" for one in member.named_children)


def _exported(declared: Node) -> Node | None:
    """The statement that exports a declaration."""
    around = declared.parent
    return around if around is not None and around.type == "export_statement" else None


def _names(syntax: Syntax, element: Node) -> tuple[str, str]:
    """What the tags of an element name; nothing for those of a fragment."""
    tags = (element.child_by_field_name(field) for field in ("open_tag", "close_tag"))
    names = (tag.child_by_field_name("name") if tag is not None else None for tag in tags)
    first, last = ("" if name is None else syntax.text(name) for name in names)
    return first, last


def _lacks_type(parameter: Node | None) -> bool:
    """Whether a parameter has no type yet."""
    if parameter is None or parameter.type != "required_parameter":
        return False
    return parameter.child_by_field_name("type") is None


def _lacks_value(declarator: Node) -> bool:
    """Whether a declaration takes nothing apart: a pattern must have a value."""
    name = declarator.child_by_field_name("name")
    is_pattern = name is not None and name.type.endswith("_pattern")
    return is_pattern and declarator.child_by_field_name("value") is None


def _declares(syntax: Syntax, node: Node, name: str) -> bool:
    """Whether a statement, or a member of a class, has a name."""
    declared = node.child_by_field_name("declaration") or node
    own = declared.child_by_field_name("name")
    return own is not None and syntax.text(own) == name


def _numbers(message: str) -> list[int]:
    """The numbers that a message has, in order."""
    return [int(one) for one in "".join(char if char.isdigit() else " " for char in message).split()]


def _required_count(errors: Sequence[Diagnostic], given: int, of: int = -1) -> int | None:
    """How many more are asked for than are given, by errors that name both numbers, or the first only.

    Args:
        of: Which of an error's numbers is that of the given ones; 0 for none.
    """
    for one in errors:
        numbers = _numbers(one.message.rpartition("'")[2] if not of else one.message)
        if numbers and (not of or numbers[of] == given):
            return max(0, numbers[0] - given)
    return None


def _elements(errors: Sequence[Diagnostic], given: int) -> int:
    """How many more elements a tuple needs, by errors that name both numbers in their last line."""
    for one in errors:
        numbers = _numbers(one.message.strip().rpartition("\n")[2])
        if len(numbers) == 2 and numbers[0] == given:  # noqa: PLR2004 - the source's, the target's
            return max(0, numbers[1] - given)
    return 0


def _by_signature(asked: Asked, place: int, separator: str, given: int) -> int:
    """How many more arguments the longest of the fitting signatures needs; 0 where the checker knows of none."""
    known = asked.signatures(place, separator)
    needed = []
    for one in () if known is None else known.of:
        is_open = any(parameter.startswith("...") for parameter in one.parameters)
        if is_open or len(one.parameters) >= given:
            needed.append(sum(not _is_optional(parameter) for parameter in one.parameters))
    return max(0, max(needed, default=0) - given)


def _is_optional(parameter: str) -> bool:
    return parameter.startswith("...") or parameter.partition(":")[0].endswith("?")


def _keys(asked: Asked, syntax: Syntax, node: Node, place: int, separator: str) -> list[str]:
    """The properties that an object must have and does not."""
    have = set()
    for one in node.named_children:
        key = one.child_by_field_name("key") or one.child_by_field_name("name") or one
        have.add(syntax.text(key).strip("'\""))
    return _lacking(asked.completions(place, separator), have)


def _attributes(asked: Asked, syntax: Syntax, node: Node, place: int) -> list[str]:
    """The attributes that an element must have and does not."""
    have = {syntax.text(one.children[0]) for one in node.named_children if one.type == "jsx_attribute"}
    return _lacking(asked.completions(place, " "), have)


def _lacking(listed: Sequence[Item], have: Container[str]) -> list[str]:
    keys = [one.name for one in listed if one.is_property and not one.is_optional]
    lacking = [key for key in keys if key not in have and all(map(continues_identifier, key))]
    return lacking if len(lacking) < _MOST_KEYS else []


def _before_slash(syntax: Syntax, node: Node, place: int) -> int:
    slash = next((one for one in node.children if one.type == "/"), None)
    return place if slash is None else syntax.start(slash)
