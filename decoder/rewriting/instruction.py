"""The words of an instruction that may be names in the code that it asks for.

An instruction is a sentence: "rename `total` to `amount`, it says more". A small model takes any of its words for the
new name, the little ones that hold a sentence together most of all, and the one that says what is to be done. Those are
names only where the code has them.
"""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_QUOTED: Final = re.compile(r"[`'\"]((?!\d)[\w$]+)[`'\"]")
_ASKED: Final = re.compile(
    r"\W*(?:please\W+)?([A-Za-z]+)\s+(?!(?:is|are|was|would|should|shall|will|may|must|can|could|ought)\b)\w",
    re.IGNORECASE,
)
"""A sentence that begins with what is to be done: `sort the rows`. Before `is` stands what it speaks of."""
_HUMP: Final = re.compile(r"[a-z][A-Z]")
_SENTENCES: Final = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be become becomes been being but by call called can could do does each every everywhere
        for from give had has have how i in instead into is it its let make may me must my name named no not now of off
        on one or our ought out over please read reads rename renamed replace replaced say says shall should so some
        substitute switch than that the their them then there these they this those to too turn use used very want was
        we were what when where which while will with would write you your""",
    )
)
"""What English sentences, and wishes most of all, are held together by."""


_KINDS: Final = re.findall(
    r"\w+",
    """argument array attribute class const constant expression field file function identifier key keyword letter line
    literal local magic method module name number object parameter property string value variable word""",
)
"""What names are names of: where a sentence says another word that may be one, these only tell of it."""
_OTHER_KINDS: Final = frozenset(
    {"arg", "args", "file", "files", "param", "params", "properties", "everything", "things"}
)
_INTRODUCED: Final = re.compile(
    r"\b(?:into|call(?:ed)?|named?|introduce|define|declare|const(?:ant)?|variable|local)\b"
    rf"(?:\s+(?:'[^']*'|\"[^\"]*\"|(?:it|that|an?|the|called|named|[\d._]+|{'|'.join(_KINDS)})\b))*"
    r"[\s:,]+([^\W\d][\w$]*)",
    re.IGNORECASE,
)
"""A word behind one that says that it is a name."""
_NAMING: Final = re.compile(
    r"\b(?:re)?nam(?:e|es|ed|ing)\b|\bcall(?:ed)?\b|\bidentifier\b|\bread\b|\bbecomes?\b|\breplac(?:e|ed|ing)\b"
    r"|\bsubstitut(?:e|ed|ing)\b|\binstead of\b|\bin place of\b|\b(?:better|clearer|rather) than\b"
    r"|\bchange (?:every|each|all)\b|\bchanged to\b|\bknown as\b|\bgoes by\b|\bcalls (?:it|this)\b"
    r"|\bterm(?:ed\b| is\b)|\btitled\b|\blabell?ed\b|\bspell(?:ed)?\b|\beverywhere\b|\bthroughout\b"
    r"|\bwherever\b|\ball places\b|->|=>|\u2192|\bs/|, not\b"
    r"|\brenom|\brenombr|\brinomin|\bhernoem|\b(?:um)?benenn",
    re.IGNORECASE,
)
"""What a sentence holds that wants a name in the place of another; and `rename` in other languages."""
_NAME: Final = re.compile(r"(?<!the )(?<!a )(?<!new )(?<!better )(?<!as )\bnames?\b", re.IGNORECASE)
"""What may be called so itself where a text has such a name: `make name optional`."""
_ANY_QUOTED: Final = re.compile(r"(?<!\w)([`'\"])[^`'\"\n]+\1(?!\w)")
_CODE: Final = re.compile(r"\w*(?:_|[a-z][A-Z]|[A-Z]{2}|\d)[\w$]*|\$[\w$]*")


def words(text: str) -> frozenset[str]:
    """All words that have the form of a name."""
    return frozenset(_WORD.findall(text))


def names(instruction: str) -> frozenset[str]:
    """The words that may be names: those in quotes, and all others that a sentence does not need.

    Nor is what it asks for one: the word that it begins with.
    """
    asked = _ASKED.match(instruction)
    verb = asked[1] if asked and not _HUMP.search(asked[1]) else ""
    said = (word for word in words(instruction) if word.lower() not in _SENTENCES and word != verb)
    return frozenset((*said, *_QUOTED.findall(instruction)))


def is_little(word: str) -> bool:
    """Whether it holds sentences together."""
    return word.lower() in _SENTENCES


def is_said_of_names(word: str) -> bool:
    """Whether it tells what a name, or several, are names of."""
    one = word
    return bool({one, one.removesuffix("s"), one.removesuffix("es")}.intersection(_KINDS)) or one in _OTHER_KINDS


def may_rename(instruction: str, original: str) -> bool:
    """Whether a sentence may want a name in the place of another: it says so, or has a word that can be but a name.

    Most speak of names for other reasons: `make total optional` wants none that is called so. What is in quotes says
    nothing, nor does `name` alone where the text has one that is called so. Of another alphabet nobody knows.
    """
    if any(letter.isalpha() and not letter.isascii() for letter in instruction) or len(_spelled(instruction)) > 1:
        return True
    sentence = _ANY_QUOTED.sub("", instruction)
    asked = _ASKED.match(sentence)
    if not {"name", "names"}.isdisjoint(_WORD.findall(original)) and not (asked and asked[1].lower() == "name"):
        sentence = _NAME.sub("", sentence)
    return _NAMING.search(sentence) is not None


def new_names(instruction: str, original: str) -> frozenset[str]:
    """The names that a text lacks: those in quotes or in the form of code, else those that are no kinds of things."""
    new = names(instruction).difference(_WORD.findall(original))
    return new & _spelled(instruction) or new & _coded(instruction) or new.difference(_KINDS) or new


def introduced(instruction: str) -> frozenset[str]:
    """The words that are surely names: in quotes, in the form of code, or said to be one."""
    return frozenset((*_QUOTED.findall(instruction), *_coded(instruction), *_INTRODUCED.findall(instruction)))


def _spelled(instruction: str) -> frozenset[str]:
    """The words that are spelled as names are, those in quotes if there are any."""
    return frozenset(_QUOTED.findall(instruction)) or _coded(instruction)


def _coded(instruction: str) -> frozenset[str]:
    """The words that have the form of code."""
    return frozenset(filter(_CODE.fullmatch, words(instruction)))
