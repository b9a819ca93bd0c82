"""Texts that end amid something, so that what stands below them would be read as its rest.

Such a file may parse: `if (done)` takes the next statement in, `x = a.` the next name. Layout tells what people mean to
go on: the next line is indented deeper, or begins with what can begin nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from context_index import Language

if TYPE_CHECKING:
    from context_index import Node, Syntax

_AMID = re.compile(r"(?:(?:[^\W\d][\w$]*|[$)\]'\"`?])\s*\.|=>)\s*$")
"""A member or a body is missing: what follows would be read as one."""
_RENAMES = re.compile(r"[\w$)\]}'\"`*]\s+as$")
"""The other name, or a type, is missing..."""
_ENDED = re.compile(r"[^\S\n]*(?:[)\]},;:=]|$)", re.MULTILINE)
"""...where its line goes on like this."""
_UNFINISHED = re.compile(
    r"(?<![\w$.#])(?:var|let|const|new|typeof|void|delete|in|instanceof|extends|throw|case"
    r"|import|export|enum|function|class)$"
)
"""The same where nothing stands behind it on its line."""
_FINISHED = frozenset({"predefined_type", "as_expression"})
"""What such a word may end all the same: `() => void`, `a as const`."""
_VALUELESS = re.compile(r"(?<![\w$.#])const\s+(?!enum\b)[\w$]+$")
"""What needs a value, which a tree does not tell that is torn there."""
_KEYED = re.compile(r"(?<![\w$.#?])[\w$]+\??:$")
"""What needs a value or a type on its line or, indented deeper, on the next, which a torn tree does not tell either."""
_COLONS = frozenset({"switch_case", "switch_default", "labeled_statement", "ternary_expression"})
"""What a colon ends or parts."""
_VALUED = re.compile(r"\s*[=:,]|\s+(?:of|in)\b")
_DECLARES = re.compile(r"\s*(?:export\s+)?declare\s")
PROSE = frozenset({"comment", "string_fragment", "string_content", "jsx_text", "html_comment"})
_OPENS_COMMENT = re.compile(rb"^[ \t]*/\*", re.MULTILINE)
_OPENS_TYPES = re.compile(r"<(?=[A-Za-z_$])|(?<!=)>")
_TYPES_GO_ON = frozenset(",>|&=.[")
_LISTS = frozenset(
    {
        *("parenthesized_expression", "arguments", "array", "formal_parameters", "template_substitution"),
        *("subscript_expression", "type_parameters", "type_arguments", "array_pattern", "tuple_type"),
        *("jsx_expression", "parenthesized_type"),
    }
)
"""Within these a line may end in the middle of an expression."""
_ENCLOSES = _LISTS | {
    *("program", "statement_block", "class_body", "switch_body", "object", "object_pattern"),
    *("object_type", "interface_body", "enum_body", "named_imports", "export_clause"),
}
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_GAP = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_GOES_ON = frozenset([*".?)]},;:=+-*%&|<>!^", ""])
"""Beginnings of a line that goes on with what stands before it; and the end of the text."""
_GOES_ON_WITH = re.compile(r"(?:else|catch|finally|in|instanceof|extends|implements)(?![\w$])")
"""Likewise, words."""
_LINKS = frozenset("=+|&")
"""Ends of lines of which several may stand below each other."""
_HEADS = re.compile(r"(?:\)|(?<![\w$.])(?:else|try|do|finally))$")
"""Ends of what has a block behind it, be it on the next line."""
_WIDEST = 400
"""Characters of indentation that are counted."""


def is_unfinished(syntax: Syntax, start: int, end: int) -> bool:
    """Whether what stands between two places of a finished text lacks its rest."""
    return (
        _hides(syntax, start, end)
        or _leaves_types_open(syntax, start, end)
        or _is_amid(syntax, start, end)
        or _is_key_alone(syntax, start, end)
        or _swallows(syntax, start, end)
    )


def _hides(syntax: Syntax, start: int, end: int) -> bool:
    """Whether a comment that begins there has no end, so that what stands below belongs to it, up to that of another.

    Where no other begins in it, it is the rest of this one that stands below.
    """
    if syntax.language.is_python:
        return False
    last = syntax.node_at(_written_to(syntax.document.text, start, end) - 1)
    if last.type != "comment" or last.start_byte < syntax.byte(start) or last.end_byte <= syntax.byte(end):
        return False
    return _OPENS_COMMENT.search(last.text or b"", syntax.byte(end) - last.start_byte) is not None


def _leaves_types_open(syntax: Syntax, start: int, end: int) -> bool:
    """TypeScript: whether a list of types lacks its end, in a file that is torn anyhow, so that no tree tells."""
    text, depth = syntax.document.text, 0
    if syntax.language is not Language.TYPESCRIPT or not syntax.errors:
        return False
    for found in _OPENS_TYPES.finditer(text, start, end):
        depth = depth + 1 if found[0] == "<" else max(depth - 1, 0)
    last = _written_to(text, start, end)
    if not depth or not _ends_line(text, end) or text[last - 1] in _TYPES_GO_ON or _is_prose(syntax, last):
        return False
    return text[last - 1] not in ")}" and text[_following(text, end) :][:1] not in _TYPES_GO_ON


def _is_amid(syntax: Syntax, start: int, end: int) -> bool:
    """Whether what stands between two places ends behind a dot, an arrow or `as`; not in prose, nor above a body."""
    text = syntax.document.text
    last = _written_to(text, start, end)
    if _RENAMES.search(text, text.rfind("\n", 0, last) + 1, last) and _ENDED.match(text, end):
        return not _is_prose(syntax, last)
    found = _AMID.search(text, start, end)
    if found is None or _is_prose(syntax, last):
        return False
    following = _following(text, end)
    is_deeper = _indentation(text, following) > _indentation(text, found.start())
    return not (found[0].startswith("=>") and "\n" in text[end:following] and is_deeper)


def _is_key_alone(syntax: Syntax, start: int, end: int) -> bool:
    """Whether a text ends behind the colon of a key, and neither its line nor a deeper one goes on."""
    text = syntax.document.text
    last = _written_to(text, start, end)
    if syntax.language.is_python or not _KEYED.search(text, start, last) or not _ends_line(text, end):
        return False
    if _is_prose(syntax, last) or _is_finished(syntax, last):
        return False
    parent = syntax.node_at(last - 1).parent
    return parent is None or parent.type not in _COLONS


def _written_to(text: str, start: int, end: int) -> int:
    """Where what stands between two places ends, white space left out."""
    return start + len(text[start:end].rstrip())


def _ends_line(text: str, end: int) -> bool:
    """Whether nothing but white space stands behind a place on its line."""
    line_end = text.find("\n", end)
    return not text[end : line_end if line_end >= 0 else len(text)].strip()


def _following(text: str, end: int) -> int:
    """Where the first token behind a place begins."""
    gap = _GAP.match(text, end)
    return gap.end() if gap is not None else end


def _is_finished(syntax: Syntax, end: int) -> bool:
    """Whether a word that ends at a place may end what it is a part of, or what is indented below goes on with it."""
    text, node = syntax.document.text, syntax.node_at(end - 1)
    if node.type in _FINISHED or (node.parent is not None and node.parent.type in _FINISHED):
        return True
    return _indentation(text, _following(text, end)) > _indentation(text, end - 1)


def _is_prose(syntax: Syntax, end: int) -> bool:
    """Whether what ends at a place says nothing to a compiler."""
    return syntax.node_at(end - 1).type in PROSE


def _swallows(syntax: Syntax, start: int, end: int) -> bool:
    """Whether what begins between two places and could end there takes the next line in: `if (done)`, `const x =`.

    Not where a bracket is left open for it, not within brackets around, and not where the next line says itself, by how
    it begins or is indented, that it goes on with something.
    """
    text = syntax.document.text
    if syntax.language.is_python:
        return False
    last = _written_to(text, start, end)
    if _UNFINISHED.search(text, start, last) and _ends_line(text, end):
        return not _is_prose(syntax, last) and not _is_finished(syntax, last)
    valueless = _VALUELESS.search(text, text.rfind("\n", 0, start) + 1, last)
    if valueless is not None and not _VALUED.match(text, end) and not _is_ambient(syntax, valueless.start()):
        return not _is_prose(syntax, last)
    if _is_left_open(text, start, last):
        return False
    following = _following(text, end)
    if "\n" not in text[end:following] or text[following : following + 1] in _GOES_ON:
        return False
    if _GOES_ON_WITH.match(text, following) or (text[following] == "{" and _HEADS.search(text, start, last)):
        return False
    if _indentation(text, following) > min(_indentation(text, start), _indentation(text, end - 1)):
        return False
    both = syntax.root.descendant_for_byte_range(syntax.byte(last - 1), syntax.byte(following + 1))
    if both is None or both.parent is None or both.start_byte < syntax.byte(start) or both.type in _ENCLOSES:
        return False
    around: Node | None = both.parent
    while around is not None and around.type not in _ENCLOSES:
        around = around.parent
    return around is None or around.type not in _LISTS


def _is_left_open(text: str, start: int, last: int) -> bool:
    """Whether what stands between two places opens a bracket, or is a line amid `a =⏎b =⏎c`."""
    if any(text.count(a, start, last) > text.count(b, start, last) for a, b in _BRACKETS):
        return True
    return text[last - 1] in _LINKS and text[:start].rstrip()[-1:] == text[last - 1]


def _is_ambient(syntax: Syntax, start: int) -> bool:
    """Whether what a place is in may be declared only, as far as words and indentation tell."""
    above = syntax.document.text[:start].split("\n")
    width = len(above[-1])
    for line in reversed(above):
        inner = len(line) - len(line.lstrip())
        if line.strip() and inner < width:
            if _DECLARES.match(line):
                return True
            width = inner
    return ".d." in syntax.document.uri


def _indentation(text: str, place: int) -> int:
    """How far the line of a place is indented."""
    line = text[text.rfind("\n", 0, place) + 1 :][:_WIDEST]
    return len(line) - len(line.lstrip(" \t"))
