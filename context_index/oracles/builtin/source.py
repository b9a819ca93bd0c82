"""The source that needs no checker: answers for members from trees, in a few milliseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from context_index.globals import global_names
from context_index.oracles.builtin.javascript import ScriptTypes
from context_index.oracles.builtin.python import PythonTypes
from context_index.oracles.builtin.shapes import Files, Place
from context_index.oracles.description import Description
from context_index.oracles.overlays import word_end
from context_index.oracles.protocol import PROBE, Remark
from context_index.symbols import Closed, Listed, Members, NameKind, Open, Position, Signature
from context_index.syntax import Node, Syntax, parse
from context_index.text import Document

BUILT_IN = "built-in inference"
"""Who answers where nobody else does."""
_ACCESSES = {"attribute": "object", "member_expression": "object"}


class BuiltIn:
    """A `Source` that reads trees."""

    name = BUILT_IN
    idle_limit = None

    def __init__(self, files: Files) -> None:
        """`files` finds what imports of the workspace's own files name."""
        self._python = PythonTypes(files)
        self._script = ScriptTypes(files)

    def names(self, document: Document, offset: int, position: Position) -> Members:
        """The members of what stands before the dot."""
        if position is not Position.MEMBER:
            return Open(f"the built-in inference lists no {position}")
        text = document.text
        shown = text[:offset] + PROBE + text[word_end(text, offset) :]
        syntax = parse(Document(document.uri, document.language, shown))
        receiver = _receiver(syntax, offset)
        if receiver is None:
            return Open("the built-in inference finds no receiver before the dot")
        types = self._python if document.language.is_python else self._script
        shape = types.shape(Place(syntax, receiver))
        names = {} if shape is None else {name: kind for name, kind in shape.names.items() if name != PROBE}
        if shape is None or not names:
            return Open("the built-in inference does not know the receiver")
        return Closed(names) if shape.exact else Listed(names)

    def prepare(self, document: Document) -> Open | None:  # noqa: ARG002 -- part of the protocol
        """Nothing is kept; who is asked where this knows nothing may have something to read."""
        return Open("the built-in inference keeps nothing")

    def signature(self, document: Document, offset: int) -> Signature | Open:  # noqa: ARG002 -- part of the protocol
        """Not inferred."""
        return Open("the built-in inference knows no signatures")

    def describe(self, document: Document, offset: int) -> Description | Open:  # noqa: ARG002 -- part of the protocol
        """Not inferred."""
        return Open("the built-in inference describes nothing")

    def remarks(self, document: Document) -> Sequence[Remark] | Open:  # noqa: ARG002 -- part of the protocol
        """Nothing is checked."""
        return Open("the built-in inference checks nothing")

    def globals(self, document: Document) -> Mapping[str, NameKind] | Open:
        """The table that comes with us."""
        return {text: name.kind for text, name in global_names(document.language).items()}

    def put_off(self, *, due: bool) -> None:
        """It is done at once."""

    def stop(self) -> None:
        """Nothing is held."""


def _receiver(syntax: Syntax, offset: int) -> Node | None:
    """The expression before the dot at whose end an offset is."""
    for node in syntax.path(syntax.node_at(offset)):
        field = _ACCESSES.get(node.type)
        if field is not None:
            return node.child_by_field_name(field)
    return None
