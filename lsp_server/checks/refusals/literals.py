"""Numbers, strings and names whose spelling is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import Rules, is_strict, is_typed

if TYPE_CHECKING:
    from context_index import Node, Syntax

_OLD_OCTAL: Final = re.compile(r"0\d+(\.\d*|e[\d+-]+)?$")
_NEVER: Final = re.compile(r"0\d+n$|0_|0\d+_")
_OCTAL: Final = re.compile(r"\\(?:[1-9]|0[0-9])")
_CODE: Final = re.compile(r"\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})")
_LARGEST_CODE: Final = 0x10FFFF


def _is_misspelled_number(syntax: Syntax, node: Node) -> bool:
    """`01n`, `0_1`, and `09.5` where the code is strict."""
    text = syntax.text(node)
    return _NEVER.match(text) is not None or (_OLD_OCTAL.match(text) is not None and is_strict(syntax, node))


def _is_wrong_escape(syntax: Syntax, node: Node) -> bool:
    r"""`'\u{110000}'`, and `'\07'` where the code is strict or in a template."""
    text, parent = syntax.text(node), node.parent
    code = _CODE.fullmatch(text)
    around = "" if parent is None else parent.type
    if around not in ("string", "template_string"):
        return False
    is_tagged = parent is not None and parent.parent is not None and parent.parent.type == "call_expression"
    if around == "template_string" and is_tagged:
        return False
    if code is not None:
        return int(code[1] or code[2], 16) > _LARGEST_CODE
    is_octal = _OCTAL.match(text) is not None
    return is_octal and (around == "template_string" or is_typed(syntax) or is_strict(syntax, node))


def _is_no_letter(syntax: Syntax, node: Node) -> bool:
    r"""`\u0030`, which is no letter that a name may have."""
    text = syntax.text(node)
    if "\\" not in text:
        return False
    codes = [int(code[1] or code[2], 16) for code in _CODE.finditer(text)]
    if any(code > _LARGEST_CODE for code in codes):
        return True
    said = _CODE.sub(lambda code: chr(int(code[1] or code[2], 16)), text).lstrip("#").replace("$", "_")
    return not said.isidentifier()


RULES: Final[Rules] = {
    "number": _is_misspelled_number,
    "escape_sequence": _is_wrong_escape,
    "identifier": _is_no_letter,
    "property_identifier": _is_no_letter,
}
