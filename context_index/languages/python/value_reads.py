"""Where a text of Python reads names of values by what the language itself does: texts, keys of mappings, `**`.

What functions of the library read is in `mentions`, which finds these by their definitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from context_index.languages.python.name_nodes import FUNCTIONS
from context_index.mentions import Read, ReadForm
from context_index.syntax import Node, Syntax, ancestors, first_part, nodes_of, parts_of

FILLING = frozenset(
    f"argparse.ArgumentParser.{name}" for name in ("parse_args", "parse_intermixed_args", "parse_known_args")
)
"""Methods that give their argument `_FILLED`, or the second one, members of computed names (argparse)."""
_FILLED = "namespace"
_ALL_ENTRIES = frozenset({"items", "keys"})
"""Methods of a mapping that give its keys (Library Reference, Mapping Types)."""
_ENTRY = frozenset({"get", "pop", "setdefault"})
"""Methods of a mapping that take a key (Library Reference, Mapping Types)."""


def is_plain(argument: Node) -> bool:
    """Whether an argument is a string without expressions in it."""
    return argument.type == "string" and all(child.type != "interpolation" for child in argument.children)


def texts(syntax: Syntax) -> Iterator[Read]:
    """Where values become parts of a text: in `f"{value}"` and `"%s" % value`, but for `!r` (`repr`)."""
    for part in nodes_of(syntax, "interpolation"):
        conversion = next((each for each in part.children if each.type == "type_conversion"), None)
        if conversion is None or syntax.text(conversion) != "!r":
            yield text_of(syntax, part, parts_of(part)[:1])
    for operation in nodes_of(syntax, "binary_operator"):
        left, right = operation.child_by_field_name("left"), operation.child_by_field_name("right")
        is_format = left is not None and "string" in left.type and operation.child_by_field_name("operator")
        if right is not None and is_format and syntax.text(is_format) == "%":
            yield text_of(syntax, operation, parts_of(right) if right.type == "tuple" else [right])


def text_of(syntax: Syntax, at: Node, values: Sequence[Node]) -> Read:
    """The read of the texts of values: of each, its last name, or that of the class which makes it."""
    made = ((value.type == "call" and value.child_by_field_name("function")) or value for value in values)
    names = filter(None, map(_called_value, made))
    return Read(syntax.start(at), ReadForm.STRING, tuple(map(syntax.start, names)))


def entries(syntax: Syntax) -> Iterator[Read]:
    """Where the keys of a mapping are gone through, and where it is asked for a computed key."""
    for loop in nodes_of(syntax, "for_statement", "for_in_clause"):
        if (value := loop.child_by_field_name("right")) is not None:
            yield _read_of_entries(syntax, loop, value)
    yield from _asked_for_entries(syntax)
    for node in nodes_of(syntax, "subscript"):
        value, key = node.child_by_field_name("value"), node.child_by_field_name("subscript")
        if value is not None and key is not None:
            yield from _computed_entry(syntax, node, value, key)
    for test in nodes_of(syntax, "comparison_operator"):
        if any(child.type in ("in", "not in") for child in test.children):
            key, *_, value = parts_of(test)
            yield from _computed_entry(syntax, test, value, key)


def _asked_for_entries(syntax: Syntax) -> Iterator[Read]:
    """The calls of a mapping's methods that read keys."""
    for call in nodes_of(syntax, "call"):
        access, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        value, member = (access and access.child_by_field_name(field) for field in ("object", "attribute"))
        if given is None or not value or not member:
            continue
        said, key = syntax.text(member), first_part(given)
        if said in _ALL_ENTRIES:
            yield _read_of_entries(syntax, call, value)
        elif said in _ENTRY and key is not None:
            yield from _computed_entry(syntax, call, value, key)


def _computed_entry(syntax: Syntax, at: Node, value: Node, key: Node) -> Iterator[Read]:
    if not is_plain(key):
        yield _read_of_entries(syntax, at, value, key)


def _read_of_entries(syntax: Syntax, at: Node, value: Node, key: Node | None = None) -> Read:
    name = value.child_by_field_name("attribute") or value
    names = (syntax.start(name),) if name.type == "identifier" else ()
    return Read(syntax.start(at), ReadForm.ENTRIES, names, key=key)


def unpacked(syntax: Syntax, splat: Node) -> Iterator[Read]:
    """What may get the keys of a mapping, `**options`, as names of arguments: what is called, and functions beside it.

    Args:
        splat: The mapping with its stars, as an argument of a call.
    """
    mapping, given = first_part(splat), splat.parent
    called = None if given is None or given.parent is None else given.parent.child_by_field_name("function")
    if mapping is None or given is None or called is None or are_keys_said(syntax, mapping):
        return
    start = syntax.start(splat)
    if (value := _called_value(called)) is not None:
        yield Read(start, ReadForm.UNPACKED, (syntax.start(value),))
    for argument in parts_of(given):
        name = argument.child_by_field_name("attribute") or argument
        if name.type == "identifier":
            yield Read(start, ReadForm.UNPACKED, member=syntax.start(name))


def are_keys_said(syntax: Syntax, mapping: Node) -> bool:
    """Whether the keys of a mapping are said: they are written, or a function around it gets them by `**`.

    These are said where that function is called.
    """
    if mapping.type == "dictionary":
        keys = [part.child_by_field_name("key") for part in parts_of(mapping)]
        return all(key is not None and is_plain(key) for key in keys)
    for around in ancestors(mapping):
        parameters = around.child_by_field_name("parameters") if around.type in FUNCTIONS else None
        rests = () if parameters is None else nodes_of(syntax, "dictionary_splat_pattern", within=parameters)
        if any(syntax.text(rest).lstrip("*") == syntax.text(mapping) for rest in rests):
            return True
    return False


def filled_argument(syntax: Syntax, arguments: Sequence[Node]) -> Node | None:
    """The value to which a call of one of `FILLING` gives members; None if it makes one of its own."""
    for argument in arguments:
        name = argument.child_by_field_name("name")
        if name is not None and syntax.text(name) == _FILLED:
            return argument.child_by_field_name("value")
    by_position = [each for each in arguments if each.type not in ("keyword_argument", "comment")]
    return next(iter(by_position[1:2]), None)


def _called_value(called: Node) -> Node | None:
    """The name of the value that is called, or that has or makes what is called.

    It is `work` of `work[key]` and of `work.get(key)`, and the first argument, `self`, of `getattr(self, key)`.
    """
    match called.type:
        case "identifier":
            return called
        case "attribute":
            return called.child_by_field_name("attribute")
        case "subscript":
            value = called.child_by_field_name("value")
            return None if value is None else _called_value(value)
        case "call":
            function, given = called.child_by_field_name("function"), called.child_by_field_name("arguments")
            receiver = None if function is None else function.child_by_field_name("object")
            value = receiver or first_part(given)
            return None if value is None else _called_value(value)
    return None
