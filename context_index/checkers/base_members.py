"""Writes the text by which a checker is asked for the members of `super()` in Python.

For `super()` ty lists only what every object has. So a class with the same bases is written above the class that the
place is in, and ty is asked for the members of this class and of an instance. A name that both have is an attribute
that `super()` finds: an instance also has what `__init__` sets, and a class what its metaclass has. `completions` calls
this module.

The text is two statements before the class, asked at the places marked `|`:

    class _Bases(Base): pass
    _Bases().|._
    _Bases.|._

What comes after each place is the fence of `record.checker.member_fence`: without it ty would read on in the next line.
"""

from __future__ import annotations

from context_index.syntax import Node, Syntax, ancestors, parts_of
from context_index.text import Document, Edit

_NAME = "_Bases"
"""A name that no file is expected to have; in one that has it, the members would be those of the file's class."""
_DECORATED = "decorated_definition"


def base_members(syntax: Syntax, dot: int) -> tuple[Document, tuple[int, ...]] | None:
    """A document with the class of ours, and the two offsets in it at which the checker is asked for members.

    None if no `super()` is before the dot, or if the class around it does not begin its line.

    Args:
        dot: The offset after the dot, which a name follows in `syntax`.
    """
    bases, statement = _bases(syntax, dot)
    if statement is None:
        return None
    document, start = syntax.document, syntax.start(statement)
    indentation = document.text[document.text.rfind("\n", 0, start) + 1 : start]
    if indentation.strip():
        return None
    to_instance = f"class {_NAME}({bases}): pass{document.newline}{indentation}{_NAME}()."
    fence = syntax.language.record.checker.member_fence
    to_class = f"{fence}{document.newline}{indentation}{_NAME}."
    added = f"{to_instance}{to_class}{fence}{document.newline}{indentation}"
    places = (start + len(to_instance), start + len(to_instance) + len(to_class))
    return document.edited([Edit(start, start, added)], document.revision), places


def _bases(syntax: Syntax, dot: int) -> tuple[str, Node | None]:
    """The bases that `super()` before a dot searches, as they are written, and the statement of the class around it.

    The statement is None if there is no `super()` or no class. The bases are those of the class around, or of the class
    that `super(Cart, self)` names; a class that the file does not define is a base itself, as it has all their members.
    """
    around_dot = ancestors(syntax.node_at(dot, dot + 1))
    member = next((node for node in around_dot if node.type == "attribute"), None)
    call = None if member is None else member.child_by_field_name("object")
    function = None if call is None or call.type != "call" else call.child_by_field_name("function")
    if call is None or function is None or syntax.text(function) != "super":
        return "", None
    arguments = call.child_by_field_name("arguments")
    given = [] if arguments is None else parts_of(arguments)
    named = syntax.text(given[0]) if given else ""
    classes = [node for node in ancestors(call) if node.type == "class_definition"]
    if not classes:
        return "", None
    holder = classes[0].parent
    statement = holder if holder is not None and holder.type == _DECORATED else classes[0]
    if named:
        classes = [node for node in (*classes, *_classes(syntax)) if _name(syntax, node) == named]
    if not classes:
        return named, statement
    superclasses = classes[0].child_by_field_name("superclasses")
    items = [] if superclasses is None else parts_of(superclasses)
    bases = [syntax.text(base) for base in items if base.type != "keyword_argument"]
    return ", ".join(bases), statement


def _name(syntax: Syntax, definition: Node) -> str:
    name = definition.child_by_field_name("name")
    return "" if name is None else syntax.text(name)


def _classes(syntax: Syntax) -> list[Node]:
    """The classes at the top level of a module, decorated or not."""
    definitions = (
        statement.child_by_field_name("definition") if statement.type == _DECORATED else statement
        for statement in syntax.top_level
    )
    return [node for node in definitions if node is not None and node.type == "class_definition"]
