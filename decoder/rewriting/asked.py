"""What a sentence asks for outright, so that nobody has to guess: `rename qty to quantity`, `extract 5 into LIMIT`.

Knows sentences, not the code that they are about; whether that can be done is for others to say.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final, NamedTuple

from decoder.rewriting.instruction import is_little, is_said_of_names

_MEMBERS: Final = r"method|property|field|attribute|member|getter|setter"
_NAMES: Final = (
    r"function|variable|parameter|param|argument|arg|constant|const|local|class|interface|type|enum|component|hook"
)
_KIND: Final = rf"(?:(?:(?P<member>{_MEMBERS})|(?P<name>{_NAMES})|identifier|name|symbol|word)\s+)?"
_THE: Final = (
    r"(?:(?:all|every|each|any)\s+)?(?:(?P<the>the|this|that|our|my|of|to|local|global|private)\s+"
    r"|(?:occurrences?|uses?|instances?|references?)\s+(?=(?:of|to)\b))*"
)
_WORD: Final = r"(?:[^\W\d][\w$]*|\$[\w$]*)"
_OLD: Final = rf"(?P<quote>[`'\"]?)(?P<self>(?:this|self)\.)?#?(?P<old>{_WORD})(?:\(\))?(?P=quote)"
_NEW: Final = rf"(?P<newquote>[`'\"]?)(?:(?:this|self)\.)?#?(?P<new>{_WORD})(?:\(\))?(?P=newquote)"
_TO: Final = r"\s*(?:\b(?:in)?to\b|\bas\b|->|=>|\u2192)\s*"
_GOES_ON: Final = "everywhere|throughout|in|across|wherever|please|instead|because|since|and|so"
_ENDS: Final = rf"(?![\w$\-]|\.\w)(?=\W*$|[,.;:!]|\s+(?:{_GOES_ON})\b)"
_RENAME: Final = re.compile(
    rf"\brenam(?:e|ing)\s+{_THE}{_KIND}{_OLD}{_TO}(?:an?\s+|the\s+)?{_NEW}{_ENDS}", re.IGNORECASE
)
_ARROW: Final = re.compile(rf"^\W*{_THE}{_KIND}{_OLD}\s*(?:->|\u2192)\s*{_NEW}\W*$", re.IGNORECASE)
_CHANGE: Final = re.compile(
    rf"^\W*(?:please\s+)?change\s+{_THE}{_KIND}{_OLD}\s+(?:in)?to\s+{_NEW}{_ENDS}", re.IGNORECASE
)
_CHANGES: Final = (
    _CHANGE,
    re.compile(rf"^\W*(?:please\s+)?replace\s+{_THE}{_KIND}{_OLD}\s+(?:with|by)\s+{_NEW}{_ENDS}", re.IGNORECASE),
    re.compile(rf"^\W*(?:please\s+)?call\s+{_THE}{_KIND}{_OLD}\s+{_NEW}{_ENDS}", re.IGNORECASE),
    re.compile(
        rf"^\W*(?:please\s+)?(?:use\s+)?{_NEW}\s+(?:instead\s+of|in\s+place\s+of|rather\s+than)\s+{_THE}{_KIND}{_OLD}{_ENDS}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^\W*(?:let\s+)?{_THE}{_KIND}{_OLD}\s+(?:should\s+)?be\s+(?:called|named|renamed\s+to)\s+{_NEW}{_ENDS}",
        re.IGNORECASE,
    ),
)
_VALUE: Final = r"(?P<{}>-?\d[\d._]*|'[^'\n]*'|\"[^\"\n]*\")"
_LITERALS: Final = re.compile(
    rf"^\W*?(?:please\s+)?(?:change|replace|update|set)\s+(?:the\s+)?(?:(?:all|every|each)\s+)?"
    rf"(?:(?:string|text|number|value|literal|constant)\s+)?{_VALUE.format('old')}\s+(?:in)?(?:to|with|by)\s+"
    rf"{_VALUE.format('new')}\s*(?:everywhere)?\s*[.!]?\s*$",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"\W*(?:(?:please|kindly|can|could|would|you|let's|we|should|i|want|to)\b\W*)*", re.IGNORECASE
)
_REST: Final = re.compile(
    r"\W*(?:(?:everywhere|throughout|across|in|this|the|whole|entire|file|code|function|class|module|selection|please"
    r"|thanks|instead|wherever|it|is|used|appears|occurs|stands)\b\W*)*",
    re.IGNORECASE,
)
"""What may stand behind a wish without being another one."""
_CASE: Final = re.compile(r"\w*case|english|german|french|spanish", re.IGNORECASE)
"""Says how names are to be written: `rename total to camelCase`."""

_QUOTED: Final = (("old", "quote"), ("new", "newquote"))
_PRONOUNS: Final = frozenset(
    re.findall(
        r"\w+",
        """a an any anything be being both each else every everything has have is it its least less more most nothing
        one ones our some something than that the their them these they this those what whatever which""",
    )
)
"""What stands for names, and is none itself."""
_MODIFIERS: Final = frozenset(
    re.findall(
        r"\w+",
        """abstract all any anonymous array arrow ascending async asynchronous auto base big bigint blank bool boolean
        bytes callback caps capital capitals cents class const constant csv date datetime days decimal deep default
        deferred descending dict dictionary dollars double dynamic eager empty enum error euros even exact exception
        exclusive explicit export external false final first fixed flat float function generator global hex high hours
        html immutable implicit inclusive inline int integer integers interface internal iso iterable iterator json
        lambda last lazy left let list local long loose low lower map max maximum method milliseconds min minimum
        minutes module mutable named nan native negative never new nil nonnegative none null nullable number numbers
        numeric object odd off old on one open optional parallel partial pascal percent plural positional positive
        primitive private promise property protected public pure raw readonly record recursive required right safe
        seconds sequence sequential set shallow short signed single singular small snake some static str strict string
        strings struct sync synchronous ten text three true tuple two type undefined unique unknown unsafe unsigned
        upper utc utf var variadic variable virtual void weak xml yaml zero""",
    )
)
"""What a thing may be changed to without getting another name."""
_MODIFIES: Final = re.compile(r".*(?:able|ible|ous|less|ful|ly|ed|ing|ive|case)", re.IGNORECASE)
"""Ends of words that say what a thing is like."""

_CONSTANT: Final = r"const(?:ant)?|variable|local|function|helper|method"
_NEW_ONE: Final = r"(?:an?\s+|the\s+)?(?:(?:new|module|module-level|global|named|local|separate|shared)\s+)*"
_EXTRACT: Final = re.compile(
    rf"\b(?:extract|hoist|pull|factor|lift|move|put|store|save|turn)\b(?P<what>.+?)\b(?:in)?to\s+{_NEW_ONE}"
    rf"(?:(?P<kind>{_CONSTANT})\s+)?(?:(?:called|named)\s+)?{_NEW}(?:\(\))?{_ENDS}",
    re.IGNORECASE,
)
_INTRODUCE: Final = re.compile(
    rf"\b(?:introduce|define|declare|create|add)\s+(?=an?\b|the\b|new\b){_NEW_ONE}"
    rf"(?:{_CONSTANT})\s+(?:(?:called|named)\s+)?{_NEW}(?![\w$]|\.\w)",
    re.IGNORECASE,
)
_EXTRACTS: Final = re.compile(r"\b(?:extract|hoist|pull|factor|lift)\b", re.IGNORECASE)
_LITERAL: Final = re.compile(r"(?<![\w.])\d|[`'\"][^`'\"]+[`'\"]")


class Of(Enum):
    """What a sentence says that a name is the name of."""

    ANY = auto()
    MEMBER = auto()
    NAME = auto()


class AskedRename(NamedTuple):
    """A name, and what is to be in its place."""

    old: str
    new: str
    of: Of
    alone: bool
    """Whether the sentence asks for nothing else."""
    described: bool
    """Whether the old name may be none, but say what is meant: `rename the helper to compute`."""


def asked_rename(instruction: str) -> AskedRename | None:
    """The rename that a sentence asks for; None for none, and where it speaks of names rather than says them."""
    found = _RENAME.search(instruction) or _ARROW.match(instruction)
    return None if found is None else _told(found, instruction)


def asked_change(instruction: str) -> AskedRename | None:
    """What may be a rename in other words: `change total to amount`; None where the new word may say another thing.

    Only a person who has a variable `total` and no `amount` means that: the caller is to ask.
    """
    found = next((one for pattern in _CHANGES if (one := pattern.match(instruction))), None)
    told = None if found is None else _told(found, instruction)
    if told is None or not told.alone or told.old[0].isupper() != told.new[0].isupper():
        return None
    return None if told.new.lower() in _MODIFIERS or _MODIFIES.fullmatch(told.new) else told


def asked_value(instruction: str) -> tuple[str, str] | None:
    """A number or a string in quotes, and what is to be in its place: `change 200 to 100`."""
    found = _LITERALS.match(instruction)
    return None if found is None or found["old"] == found["new"] else (found["old"], found["new"])


def asked_new(instruction: str) -> str | None:
    """The name that a sentence wants something new to have: `extract 5 into a constant LIMIT`."""
    found = _INTRODUCE.search(instruction)
    if found is None:
        found = _EXTRACT.search(instruction)
        if found is None:
            return None
        says_what = found["kind"] or _EXTRACTS.match(found[0]) or _LITERAL.search(found["what"])
        if not says_what:
            return None
    word = found["new"]
    return word if found["newquote"] or not _is_said(word) else None


def _told(found: re.Match[str], instruction: str) -> AskedRename | None:
    if any(found[word].lower() in _PRONOUNS and not found[quote] for word, quote in _QUOTED):
        return None
    if _CASE.fullmatch(found["new"]) or found["old"] == found["new"]:
        return None
    before, behind = instruction[: found.start()], instruction[found.end() :]
    of = Of.MEMBER if found["member"] or found["self"] else Of.NAME if found["name"] else Of.ANY
    return AskedRename(
        found["old"],
        found["new"],
        of,
        alone=bool(_POLITE.fullmatch(before) and _REST.fullmatch(behind)),
        described=not found["quote"] and (_is_said(found["old"]) or (bool(found["the"]) and of is Of.ANY)),
    )


def _is_said(word: str) -> bool:
    """Whether a sentence may have a word for what it says rather than as a name."""
    return is_little(word) or is_said_of_names(word)
