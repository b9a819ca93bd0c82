"""Where a type checker knows the names that may follow, told from the tokens before the place.

Knows tokens, not types: most of what is asked is answered with "nothing is known", and costs no more than the question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from context_index.symbols import Language, Position
from decoder.constraint.members.naming import TYPED
from decoder.lexical import BEFORE_EXPRESSION, is_word

if TYPE_CHECKING:
    from decoder.lexical import Lexical

_TRIGGERS = {
    Language.PYTHON: re.compile(r"[.'\"(, \t]"),
    Language.TYPESCRIPT: re.compile(r"[.'\"{,]"),
}
_OTHER_TRIGGERS = re.compile(r"[.'\"{, \t\n]")
"""Where there may be JSX, behind whose blanks a property may begin."""
REACH = 400
"""Characters before the place that may tell what it stands in."""
_BEHIND_TRIGGER = re.compile(r"(?:\bimport\b[^;(){}]*\{(?:[^{}'\"`;]*,)?(\s*type\s*)|[.{,(\s](\s*)|['\"]([^'\"\s]*))$")

_NO_RECEIVER = BEFORE_EXPRESSION | {"import", "from", "not", "and", "or", "if", "is", "lambda", "function"}
"""Words before a dot that are no expression whose members could be asked for."""
_PYTHON_MODULE = re.compile(r"[^\S\n]*(?:from\s+[\w.]*|import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*[\w.]*)")
_PYTHON_NAMES = re.compile(r"[^\S\n]*from\s+[\w.]+\s+import\s+\(?(?:\w+(?:\s+as\s+\w+)?\s*,\s*)*")
_LAMBDA = re.compile(r"\blambda\b[^:\[\](){}]*,$")
"""Its parameters, without values in brackets."""
_NUMBER = re.compile(r"(?:(?<![\w$.])\d+\.\d*|(?<![\w$.])\.\d+|(?<=\))\.\d+)\.$")
"""A number with its point, behind which a second one asks for its members."""
_SCRIPT_NAMES = re.compile(r"\bimport\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{[^{}'\"`;]*$")
_IMPORT_LIST = re.compile(r"\bimport\b\s*(?:type\s+)?(?:[\w$]+\s*,\s*(?=\{))?[{(]?([^{}()'\"`;]*,)\s*(?:type\s+)?$")
_IMPORTED = re.compile(r"(?:^|,)\s*(?:type\s+)?([\w$]+)(?=\s*,|\s+as\b)")
_ELEMENT = re.compile(
    r"""<[A-Za-z][\w.$-]*(?:\s+[\w-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*\}))?|\s+\{\.\.\.[^{}]*\})*\s+$"""
)
_OF_KEYS = frozenset({"pattern{", "object{"})
_BRACES = _OF_KEYS | {"{"}
"""What the brace of `import a, { b }` is taken for depends on what stands before it."""
_COMPARES = frozenset(["==", "===", "!=", "!==", "case"])
_CHAIN = r"[A-Za-z_$][\w$]*(?:\s*\??\.\s*#?[\w$]+|\[[^\[\]\n]*\])*\s*\.$"
_SCRIPT_HEAD = re.compile(
    r"(?:(?:^|[;}\n)]|(?<!\$)\{|\belse\b|\bdo\b)\s*(?:(?:exports|[\w$]+\.[\w$.]+)\s*=\s*)*|=\s*(?=(?:module\.)?exports\.))"
    + _CHAIN
)
_COMPLETE = re.compile(r"(?<![\w$.])(?:Atomics|Intl|JSON|Math|Reflect|console|document|navigator|process)\s*\.$")
"""Has the members that it was given. Not classes: old code teaches those what new ones can do."""
_PYTHON_HEAD = re.compile(r"(?:^|[;\n])[^\S\n]*" + _CHAIN)
"""A chain of members at the head of a statement; in scripts also behind one that is assigned (`a.b = exports.c = `)."""


def triggers(language: Language) -> re.Pattern[str]:
    """The characters behind which a name may begin that a type checker knows."""
    return _TRIGGERS.get(language, _OTHER_TRIGGERS)


def last_trigger(prefix: str) -> int:
    """Where the text begins that is written behind the last place where a question may arise; the end, if none is near.

    Behind it only white space stands, the `type` of a list of imports, or the beginning of what is in quotes.
    """
    found = _BEHIND_TRIGGER.search(prefix[-REACH:])
    return len(prefix) - (len(next(filter(None, found.groups()), "")) if found is not None else 0)


def position_after(language: Language, before: Lexical, place: Lexical, character: str, tail: str) -> Position | None:
    """What may stand behind `character`, as far as a type checker may know it.

    Args:
        before: The place before `character`.
        place: The place behind it.
        tail: The text up to and with `character`, or the end of it.
    """
    if character in "'\"":
        return _in_quotes(language, before, place)
    if not place.in_code:
        return None
    if character == ".":
        return _behind_dot(language, place, tail)
    if language.is_python:
        return _in_python(place, character, tail)
    return _in_script(language, place, character, tail)


def heads_statement(language: Language, tail: str) -> bool:
    """Whether the chain of members that ends with the dot at the end of `tail` may be the target of an assignment.

    In TypeScript a member is declared before it is assigned, and so it is listed; nobody adds to what JavaScript gives.
    """
    if language in TYPED or (not language.is_python and _COMPLETE.search(tail)):
        return False
    return (_PYTHON_HEAD if language.is_python else _SCRIPT_HEAD).search(tail) is not None


def declares_by_assigning(tail: str) -> bool:
    """Whether Python's checkers take an assignment to a member of the receiver for its declaration."""
    return re.search(r"(?<![\w.])(?:self|cls)\.$", tail) is not None


def imported_so_far(tail: str) -> frozenset[str]:
    """The names that the list of an import has before its end, which is the end of `tail`."""
    found = _IMPORT_LIST.search(tail)
    return frozenset(_IMPORTED.findall(found[1])) if found is not None else frozenset()


def _in_quotes(language: Language, before: Lexical, place: Lexical) -> Position | None:
    opened = before.in_code and not place.in_code and place.innermost in ("'", '"')
    if not opened or (before.lexeme and before.writes_word):  # else a prefix, as in rb''
        return None
    last, outside = place.last, place.frames[-2] if place.depth > 1 else ""
    if not language.is_python and (
        last in ("from", "import") or (last == "(" and place.before in ("require", "import"))
    ):
        return Position.MODULE
    if outside == "[" and last == "[" and _is_receiver(place.before):
        return Position.SUBSCRIPT
    if outside == "(" and last in ("(", ","):
        return Position.LITERAL
    return Position.LITERAL if not language.is_python and last in _COMPARES | {"=", ":"} else None


def _behind_dot(language: Language, place: Lexical, tail: str) -> Position | None:
    if _NUMBER.search(tail):
        return Position.MEMBER
    if place.lexeme not in (".", "?.") and not (place.lexeme in ("!.", "!?.") and language in TYPED):
        return None
    if language.is_python and _PYTHON_MODULE.fullmatch(_line(tail)):
        return Position.MODULE
    is_member = place.before in (".", "?.", "!.", "!?.")  # which may have the name of a keyword: `schema.default.`
    return Position.MEMBER if _is_receiver(place.last) or (is_member and is_word(place.last)) else None


def _in_python(place: Lexical, character: str, tail: str) -> Position | None:
    if place.innermost == "pattern(":
        return Position.IMPORTED_NAME if character in "(," else None
    if character in " \t," and not place.innermost:
        line = _line(tail)
        if not line.lstrip().startswith(("from", "import")) or line[-2:-1] in " \t":
            return None
        if _PYTHON_NAMES.fullmatch(line):
            return Position.IMPORTED_NAME
        return Position.MODULE if _PYTHON_MODULE.fullmatch(line) and place.last in ("from", "import", ",") else None
    if character not in "(," or place.innermost != "(":
        return None
    return None if character == "," and _LAMBDA.search(tail) else Position.KEYWORD_ARGUMENT


def _in_script(language: Language, place: Lexical, character: str, tail: str) -> Position | None:
    if character in "{,":
        if place.innermost in _BRACES and _SCRIPT_NAMES.search(tail):
            return Position.IMPORTED_NAME
        return Position.OBJECT_KEY if place.innermost in _OF_KEYS else None
    if character.isspace() and language is not Language.TYPESCRIPT and "<" in tail and not tail[-2:-1].isspace():
        return Position.PROP if _ELEMENT.search(tail) else None
    return None


def _is_receiver(token: str) -> bool:
    if token in _NO_RECEIVER:
        return False
    return token in (")", "]", '"') or (is_word(token) and not token[0].isdigit())


def _line(tail: str) -> str:
    return tail[tail.rfind("\n") + 1 :]
