"""What a checker is asked for the members of `super()` in Python: those of a class that has the bases, and no more.

ty lists nothing of `super()` but what every object has. A class of ours above the one that the place is in inherits
from its bases in their order; a name that both this class and its instances have is an attribute that `super()` finds.
"""

from __future__ import annotations

from context_index.syntax import Node, Syntax, ancestors
from context_index.text import Document, Edit

_NAME = "_Bases"
_WHOLE_CLASS = frozenset({"decorated_definition"})


def base_members(syntax: Syntax, dot: int) -> tuple[Document, tuple[int, ...]] | None:
    """A document that has the class of ours, and the places in it at which to ask; None where no `super()` is before.

    Args:
        dot: The offset after the dot, which a name follows in `syntax`.
    """
    bases, above = _bases(syntax, dot)
    if above is None:
        return None
    document, start = syntax.document, syntax.start(above)
    indentation = document.text[document.text.rfind("\n", 0, start) + 1 : start]
    if indentation.strip():
        return None
    head = f"class {_NAME}({bases}): pass{document.newline}{indentation}{_NAME}()."
    middle = f"._{document.newline}{indentation}{_NAME}."
    added = f"{head}{middle}._{document.newline}{indentation}"
    places = (start + len(head), start + len(head) + len(middle))
    return document.edited([Edit(start, start, added)], document.revision), places


def _bases(syntax: Syntax, dot: int) -> tuple[str, Node | None]:
    """The bases of the class that `super()` before a dot is called in, and the statement of that class."""
    member = next((one for one in ancestors(syntax.node_at(dot, dot + 1)) if one.type == "attribute"), None)
    call = None if member is None else member.child_by_field_name("object")
    function = None if call is None or call.type != "call" else call.child_by_field_name("function")
    if call is None or function is None or syntax.text(function) != "super":
        return "", None
    arguments = call.child_by_field_name("arguments")
    named = syntax.text(arguments.named_children[0]) if arguments is not None and arguments.named_child_count else ""
    around = [one for one in ancestors(call) if one.type == "class_definition"]
    if not around:
        return "", None
    above = around[0] if around[0].parent is None or around[0].parent.type not in _WHOLE_CLASS else around[0].parent
    if named:
        around = [one for one in (*around, *_classes(syntax)) if _name(syntax, one) == named]
    if not around:
        return named, above  # a class of elsewhere, which has what its bases have
    superclasses = around[0].child_by_field_name("superclasses")
    given = () if superclasses is None else superclasses.named_children
    bases = ", ".join(syntax.text(one) for one in given if one.type not in {"keyword_argument", "comment"})
    return bases, above


def _name(syntax: Syntax, definition: Node) -> str:
    name = definition.child_by_field_name("name")
    return "" if name is None else syntax.text(name)


def _classes(syntax: Syntax) -> list[Node]:
    """The classes of a module, those in decorators' hands too."""
    found = []
    for statement in syntax.top_level:
        inner = statement.child_by_field_name("definition") if statement.type in _WHOLE_CLASS else statement
        if inner is not None and inner.type == "class_definition":
            found.append(inner)
    return found
