"""The record of JavaScript and TypeScript: bodies in braces, handlers, tags, and placeholders that TypeScript requires.

How many placeholders a bracket lacks is read from the numbers in TypeScript's messages, from signatures and from
completions. `DocumentCloser` calls `required` and `mismatches`, `Placeholders` calls `filled`. In the examples below,
`|` is the end of the text. The closing is what the grammar has proposed before.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from context_index import Edit, continues_identifier
from decoder import PLACEHOLDER
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.languages.ecmascript_patterns import expected_type
from lsp_server.engine.verification.languages.fill import BoundLater, Fill
from lsp_server.engine.verification.spans import within

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from context_index import Diagnostic, Item, Node, Syntax
    from lsp_server.engine.verification.languages.fill import Asked
    from lsp_server.engine.verification.languages.opened import Opened

_MENDED_INSIDE = frozenset({"2377", "7010", "2515", "2653", "2654", "2655", "2656"})
"""Errors at a constructor before `super()`, a signature without its type, and a class without its abstract members."""
_EXCUSED_WHILE_OPEN = _MENDED_INSIDE | {"2564", "2454", "6133", "7034"}
"""And at a property that no constructor sets yet, a variable that is not assigned or used yet, and an empty array
without a type."""
_UNRESOLVED = frozenset({"2304", "2552", "2693", "18004"})
"""Errors at undefined names. 2693: a type where a value is expected, as `f<A,` is read before its `>` has come."""
_TOO_FEW = frozenset({"2554", "2555", "2794"})
"""`Expected 2 arguments, but got 1`, `Expected at least 2 arguments, but got 1`, and the first for a promise's end."""
_NOT_ASSIGNABLE = "2322"
"""For a tuple its last line is `Source has 1 element(s) but target requires 2`."""
_GENERIC = frozenset({"2314", "2707"})
"""`Generic type 'A<T, U>' requires 2 type argument(s)`, `between 1 and 2`."""
_JOINING = frozenset({"||", "&&", "??"})
"""Operators whose value may be that of either operand."""
_TAGS = ("jsx_opening_element", "jsx_self_closing_element")
_OBJECT_TYPES = ("object_type", "interface_body")
_SIGNATURES = ("function_signature", "method_signature")
_WITHOUT_BODIES = (*_OBJECT_TYPES, "ambient_declaration")
"""What a signature may be in without needing a body."""
_COMMENT = "/*"
"""Begins a comment. If it is in the comment that the text is in, that comment has swallowed the next one."""
_MOST_KEYS = 60
"""If a checker lists so many properties, they are not those that an object requires: nobody writes so many."""


class EcmaScript:
    """The record of JavaScript and TypeScript; `record.Record` says what each answer is for."""

    comprehensions = ()
    excused_while_open = _EXCUSED_WHILE_OPEN
    mended_inside = _MENDED_INSIDE
    unresolved = _UNRESOLVED
    flush_in_blocks = False

    def __init__(self, *, typed: bool) -> None:
        """`typed` is whether the language has types: TypeScript."""
        self._typed = typed

    def required(self, opened: Opened) -> list[Edit]:
        """What `try`, `if`, signatures, patterns, attributes, closing tags and imports lack."""
        return [*self._endings(opened), *self._tags(opened), *self._sources(opened), *self._values(opened)]

    def bound_later(self, applied: Applied) -> BoundLater:  # noqa: ARG002 - other languages have such brackets
        """None: parameters come before their function's body."""
        return BoundLater()

    def filled(self, opened: Opened, fill: Fill, diagnostics: Sequence[Diagnostic], checker: Asked) -> list[Edit]:
        """Endings of bodies, members of classes, and what open brackets lack."""
        edits = [*self._last_statements(opened, fill), *self._neutral_operands(opened)]
        if fill is not Fill.BARE:
            edits += self._brackets(opened, diagnostics, checker)
            edits += self._implemented_interfaces(opened)
            edits += self._types_taken_apart(opened)
        return edits

    def mismatches(self, opened: Opened) -> int:
        """How many elements around the text end with another's tag, and whether its comment has swallowed another.

        In `/* a | b(); /* c */` the file's second comment ends the text's: code is lost that the grammar does not miss.
        """
        pairs = (_tag_names(opened.syntax, node) for node in opened.around() if node.type == "jsx_element")
        comments = (node for node in islice(opened.around(), 1) if node.type == "comment")
        after_text = (opened.closed.document.text[opened.text_end : opened.syntax.end(node)] for node in comments)
        return sum(first != last for first, last in pairs) + sum(_COMMENT in text for text in after_text)

    def _endings(self, opened: Opened) -> Iterator[Edit]:
        """What the statements and declarations that end with the text lack.

        - `try { f(); }|` lacks a handler: ` finally {}`.
        - `if (a|` lacks a block, see `_consequence`.
        - `const {a}|` lacks a value to take apart: ` = inscope_any`.
        - `function f(a: string)|` lacks a body, see `_implementation`.
        """
        syntax = opened.syntax
        for node in opened.ended():
            end = syntax.end(node)
            if node.type == "try_statement":
                if not (node.child_by_field_name("handler") or node.child_by_field_name("finalizer")):
                    yield Edit(end, end, " finally {}")
            elif node.type == "if_statement":
                yield from self._consequence(opened, node)
            elif node.type == "variable_declarator" and _lacks_value(opened, node):
                yield Edit(end, end, f" = {PLACEHOLDER}")
            elif node.type in _SIGNATURES and node.parent is not None and node.parent.type not in _WITHOUT_BODIES:
                yield from self._implementation(opened, node)

    @staticmethod
    def _consequence(opened: Opened, statement: Node) -> Iterator[Edit]:
        """A block for an `if` that the closing ends with `;`: TypeScript refuses `if (a);`."""
        body = statement.child_by_field_name("consequence")
        if body is not None and body.type == "empty_statement" and opened.syntax.start(body) >= opened.text_end:
            place = opened.syntax.start(body)
            yield Edit(place, place, "{}")

    def _implementation(self, opened: Opened, signature: Node) -> Iterator[Edit]:
        """A body for a signature; or, if the person has ended it with `;`, an implementation below it.

        `function f(a: string)|` gets ` { throw 0; }`. `function f(a: string);|` is an overload, and gets
        `function f(...inscope_any: any): any { throw 0; }` on the next line. Nothing if the next declaration has the
        same name.
        """
        syntax, name = opened.syntax, signature.child_by_field_name("name")
        exported = _export_around(signature)
        below = (signature if exported is None else exported).next_named_sibling
        if below is not None and name is not None and _has_name(syntax, below, syntax.text(name)):
            return
        ends = signature.next_sibling, signature.children[-1]
        semicolon = next((node for node in ends if node is not None and node.type == ";"), None)
        if semicolon is None or opened.closed.is_in_closing(*syntax.span(semicolon)):
            place = syntax.end(signature) if semicolon is None else syntax.start(semicolon)
            yield Edit(place, place, " { throw 0; }")
        elif name is not None:
            word = "function " if signature.type == "function_signature" else ""
            static = "static " if any(child.type == "static" for child in signature.children) else ""
            head = f"{'export ' if exported else ''}{static}{word}{syntax.text(name)}"
            end = syntax.end(semicolon)
            yield Edit(end, end, f"\n{head}(...{PLACEHOLDER}: any): any {{ throw 0; }}")

    def _tags(self, opened: Opened) -> Iterator[Edit]:
        """The names of closing tags that the closing brings without one: `</>` after `<a>text|` becomes `</a>`."""
        syntax = opened.syntax
        for node in opened.around():
            last = node.child_by_field_name("close_tag") if node.type == "jsx_element" else None
            if last is None or _tag_names(syntax, node)[1]:
                continue
            start, place = syntax.start(last), syntax.start(last) + len("</")
            if opened.closed.is_in_closing(start, place):
                yield Edit(place, place, _tag_names(syntax, node)[0])

    @staticmethod
    def _values(opened: Opened) -> Iterator[Edit]:
        """The value of an attribute with empty braces: `<a b={|}` becomes `<a b={inscope_any}`."""
        for node, place in opened.bracketed():
            around = node.parent
            is_value = node.type == "jsx_expression" and around is not None and around.type == "jsx_attribute"
            if is_value and not node.named_child_count:
                yield Edit(place, place, PLACEHOLDER)

    @staticmethod
    def _sources(opened: Opened) -> Iterator[Edit]:
        """The module that a closing imports from: `from ""` becomes `from "inscope_any"`.

        An empty name would be the file's own. A module whose name or quote the text has begun is left as it is.
        """
        for node in opened.around():
            source = node.child_by_field_name("source")
            if source is not None and opened.syntax.start(source) >= opened.text_end and not source.named_child_count:
                place = opened.syntax.end(source) - 1
                yield Edit(place, place, PLACEHOLDER)

    def _last_statements(self, opened: Opened, fill: Fill) -> Iterator[Edit]:
        """A last statement for each function's body that the text leaves open."""
        for node, place in opened.bracketed():
            function, fields = node.parent, ("parameters", "parameter")
            if node.type != "statement_block" or function is None:
                continue
            if any(map(function.child_by_field_name, fields)):
                yield Edit(place, place, self._last_statement(function, fill))

    @staticmethod
    def _last_statement(function: Node, fill: Fill) -> str:
        if fill is Fill.BARE:
            return "\nthrow 0;"
        if function.type.startswith("generator") or any(child.type == "*" for child in function.children):
            return f"\nyield {PLACEHOLDER}; return {PLACEHOLDER};"
        return f"\nreturn {PLACEHOLDER};"

    def _neutral_operands(self, opened: Opened) -> Iterator[Edit]:
        """The type `never` for placeholders that are one of two values: it adds nothing to the type of both.

        `a ||inscope_any` becomes `a ||inscope_any as never`, so the whole has the type of `a`.
        """
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
        """What gives a placeholder a type; in JavaScript that is JSDoc."""
        first, last = opened.syntax.span(placeholder)
        if self._typed:
            yield Edit(last, last, f" as {kind}")
        else:
            yield Edit(first, first, f"(/** @type {{{kind}}} */ (")
            yield Edit(last, last, "))")

    def _types_taken_apart(self, opened: Opened) -> Iterator[Edit]:
        """The types of placeholders that patterns take apart, as `expected_type` reads them off the pattern."""
        for node in opened.around():
            pattern, value = (node.child_by_field_name(field) for field in ("name", "value"))
            if pattern is None or value is None or opened.syntax.text(value) != PLACEHOLDER:
                continue
            kind = expected_type(opened.syntax, pattern)
            if opened.closed.is_in_closing(*opened.syntax.span(value)) and kind != PLACEHOLDER:
                yield from self._cast(opened, value, kind)

    def _brackets(self, opened: Opened, diagnostics: Sequence[Diagnostic], checker: Asked) -> Iterator[Edit]:
        """What tags, objects and other brackets around the text lack.

        - The innermost tag, wherever it ends, gets the attributes that it must have.
        - The innermost brackets, if they are an object's and end after `reach`, get the keys: `{ a: 1, | c: 2 }`.
        - Whatever ends at `reach` or before it (`Opened.bracketed`): an object type gets an index signature, a
          parameter's pattern its type, anything else as many parts as are `_missing`.
        """
        if (tag := opened.tag()) is not None and tag[0].type in _TAGS:
            inside = _before_slash(opened.syntax, *tag)
            attributes = _missing_attributes(checker, opened.syntax, tag[0], inside)
            yield Edit(inside, inside, "".join(f" {key}={{{PLACEHOLDER}}}" for key in attributes))
        if (inner := opened.brackets()) is not None and inner[0].type == "object" and inner[1] >= opened.reach:
            separator = opened.separated(inner[0], opened.end)
            keys = _missing_keys(checker, opened.syntax, inner[0], opened.end, separator)
            more = "".join(f"{key}: {PLACEHOLDER}," for key in keys)  # other keys follow
            yield Edit(opened.end, opened.end, separator * bool(keys) + more)
        for node, place in opened.bracketed():
            if node.type in _OBJECT_TYPES and not any(_is_mapped(member) for member in node.named_children):
                yield Edit(place, place, f"; [{PLACEHOLDER}: string]: any")
            elif self._typed and node.type.endswith("_pattern") and _lacks_type(node.parent):
                end = opened.syntax.end(node)
                yield Edit(end, end, f": {expected_type(opened.syntax, node)}")
            elif missing := self._missing(opened, node, place, diagnostics, checker):
                yield Edit(place, place, opened.separated(node, place) + ", ".join(missing))

    @staticmethod
    def _missing(
        opened: Opened, node: Node, place: int, diagnostics: Sequence[Diagnostic], checker: Asked
    ) -> Sequence[str]:
        """The placeholders for what is still to come between brackets, as far as the checker requires it.

        Args:
            place: The offset of the closing bracket.
        """
        syntax, separator = opened.syntax, opened.separated(node, place)
        given = sum(child.type != "comment" for child in node.named_children)
        match node.type:
            case "arguments" if node.parent is not None:
                around = syntax.start(node.parent)
                errors = [error for error in diagnostics if error.code in _TOO_FEW and around <= error.start < place]
                count = _missing_count(errors, given)
                if count is None:
                    count = _missing_arguments(checker, place, separator, given)
                return [PLACEHOLDER] * count
            case "array":
                errors = [error for error in diagnostics if error.code == _NOT_ASSIGNABLE]
                return [PLACEHOLDER] * _missing_elements(errors, given)
            case "object":
                return [f"{key}: {PLACEHOLDER}" for key in _missing_keys(checker, syntax, node, place, separator)]
            case "type_arguments" if node.parent is not None:
                around = syntax.start(node.parent)
                errors = [error for error in diagnostics if error.code in _GENERIC and error.start == around]
                return [PLACEHOLDER] * (_missing_type_count(errors, given) or 0)
        return ()

    def _implemented_interfaces(self, opened: Opened) -> Iterator[Edit]:
        """Interfaces that are merged with open classes, so that members they say they implement are no more missing."""
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
        """An interface of a class's name, after the class, with all members of some types.

        For `class A implements B {|` it is `interface A extends Record<keyof (B), any> {}`. TypeScript merges a class
        with an interface of its name.

        Args:
            types: The types, joined by `&`.
        """
        syntax = opened.syntax
        name, parameters = declared.child_by_field_name("name"), declared.child_by_field_name("type_parameters")
        head = "".join(syntax.text(node) for node in (name, parameters) if node is not None)
        exported = _export_around(declared)
        end = syntax.end(exported or declared)
        word = "export " if exported else ""
        return Edit(end, end, f"\n{word}interface {head} extends Record<keyof ({types}), any> {{}}")


def _is_mapped(member: Node) -> bool:
    """Whether a member of a type is `[key in keys]: type`, beside which no other may be."""
    return any(child.type == "mapped_type_clause" for child in member.named_children)


def _export_around(declared: Node) -> Node | None:
    """The statement that exports a declaration; None if it is not exported."""
    around = declared.parent
    return around if around is not None and around.type == "export_statement" else None


def _tag_names(syntax: Syntax, element: Node) -> tuple[str, str]:
    """The names in an element's opening and closing tag; empty for those of a fragment."""
    tags = (element.child_by_field_name(field) for field in ("open_tag", "close_tag"))
    names = (tag.child_by_field_name("name") if tag is not None else None for tag in tags)
    first, last = ("" if name is None else syntax.text(name) for name in names)
    return first, last


def _lacks_type(parameter: Node | None) -> bool:
    """Whether a node is a parameter that has no type yet."""
    if parameter is None or parameter.type != "required_parameter":
        return False
    return parameter.child_by_field_name("type") is None


def _lacks_value(opened: Opened, declarator: Node) -> bool:
    """Whether a declaration without a value needs one: for its pattern to take apart, or as a constant's.

    A constant may still get one only if the declaration is not whole without its closing: `const a: |`.
    """
    name, declaration = declarator.child_by_field_name("name"), declarator.parent
    if declarator.child_by_field_name("value") is not None or name is None or declaration is None:
        return False
    kind = declaration.child_by_field_name("kind")
    is_constant = kind is not None and kind.type == "const" and opened.syntax.end(declarator) > opened.text_end
    is_ambient = declaration.parent is not None and declaration.parent.type == "ambient_declaration"
    return name.type.endswith("_pattern") or (is_constant and not is_ambient)


def _has_name(syntax: Syntax, node: Node, name: str) -> bool:
    """Whether a statement, or a member of a class, declares a name."""
    declared = node.child_by_field_name("declaration") or node
    declared_name = declared.child_by_field_name("name")
    return declared_name is not None and syntax.text(declared_name) == name


def _numbers(message: str) -> list[int]:
    """The numbers in a message, in order."""
    return [int(number) for number in "".join(char if char.isdigit() else " " for char in message).split()]


def _missing_count(errors: Sequence[Diagnostic], given: int) -> int | None:
    """How many more arguments are required than are given, by an error of `_TOO_FEW`; None if there is none."""
    for error in errors:
        numbers = _numbers(error.message)  # first those that are required, last those that are given
        if numbers and numbers[-1] == given:
            return max(0, numbers[0] - given)
    return None


def _missing_type_count(errors: Sequence[Diagnostic], given: int) -> int | None:
    """How many more type arguments are required than are given, by an error of `_GENERIC`; None if there is none.

    The message gives the required number, or the least one, after the quoted type, whose name may have digits.
    """
    for error in errors:
        if numbers := _numbers(error.message.rpartition("'")[2]):
            return max(0, numbers[0] - given)
    return None


def _missing_elements(errors: Sequence[Diagnostic], given: int) -> int:
    """How many more elements a tuple requires, by an error of `_NOT_ASSIGNABLE`; 0 if there is none."""
    for error in errors:
        numbers = _numbers(error.message.strip().rpartition("\n")[2])
        if len(numbers) == 2 and numbers[0] == given:  # noqa: PLR2004 - the source's, the target's
            return max(0, numbers[1] - given)
    return 0


def _missing_arguments(checker: Asked, place: int, separator: str, given: int) -> int:
    """How many more arguments the longest of the fitting signatures needs; 0 if the checker knows of none."""
    signatures = checker.signatures(place, separator)
    counts = []
    for signature in () if signatures is None else signatures.of:
        takes_any_number = any(parameter.startswith("...") for parameter in signature.parameters)
        if takes_any_number or len(signature.parameters) >= given:
            counts.append(sum(not _is_optional(parameter) for parameter in signature.parameters))
    return max(0, max(counts, default=0) - given)


def _is_optional(parameter: str) -> bool:
    return parameter.startswith("...") or parameter.partition(":")[0].endswith("?")


def _missing_keys(checker: Asked, syntax: Syntax, node: Node, place: int, separator: str) -> list[str]:
    """The properties that an object must have and does not."""
    given = set()
    for member in node.named_children:
        key = member.child_by_field_name("key") or member.child_by_field_name("name") or member
        given.add(syntax.text(key).strip("'\""))
    return _required_of(checker.completions(place, separator), given)


def _missing_attributes(checker: Asked, syntax: Syntax, node: Node, place: int) -> list[str]:
    """The attributes that an element must have and does not."""
    given = {syntax.text(child.children[0]) for child in node.named_children if child.type == "jsx_attribute"}
    return _required_of(checker.completions(place, " "), given)


def _required_of(listed: Sequence[Item], given: Container[str]) -> list[str]:
    """The listed properties that are required, identifiers and not given yet; none if they are too many."""
    keys = [item.name for item in listed if item.is_property and not item.is_optional]
    missing = [key for key in keys if key not in given and all(map(continues_identifier, key))]
    return missing if len(missing) < _MOST_KEYS else []


def _before_slash(syntax: Syntax, node: Node, place: int) -> int:
    """Where a tag's attributes end: at its `/`, or at a place, its `>`, if it has none."""
    slash = next((child for child in node.children if child.type == "/"), None)
    return place if slash is None else syntax.start(slash)
