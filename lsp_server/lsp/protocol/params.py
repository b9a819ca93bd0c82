"""From JSON to LSP's types and our own requests' (`structured`). An error is a sentence with the protocol's names.

Values are not converted: a number in place of a string is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import partial
from types import NoneType
from typing import Any, get_args

import cattrs
from cattrs.gen import make_dict_structure_fn, override
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcInvalidParams

from decoder import DraftPolicy
from lsp_server.errors import either

_KINDS = {str: "a text", int: "a whole number", bool: "true or false"}
_UNDERSCORE = re.compile(r"_([a-z])")

VERIFY = "inscope/verify"


@dataclass(frozen=True, slots=True)
class VerifyParams:
    """What `inscope/verify` asks: may a text be inserted in a document, in place of a range?"""

    text_document: types.TextDocumentIdentifier
    range: types.Range
    insert: str


REWRITE = "inscope/rewrite"


@dataclass(frozen=True, slots=True)
class RewriteParams:
    """What `inscope/rewrite` asks: rewrite a range.

    Without one, it is the declaration around a position, else what the instruction names, else the whole document.
    """

    text_document: types.TextDocumentIdentifier
    range: types.Range | None = None
    position: types.Position | None = None
    """The cursor, of a client that shows what `inscope.region` finds around it."""
    instruction: str | None = None
    rename: str | None = None
    """`OLD=NEW`, in place of an instruction."""
    all: bool | None = None
    """Whether a rename takes the places that may have the name."""
    draft: str | None = None
    """The expected text of the range; by default its present text."""
    policy: DraftPolicy | None = None
    """How the draft is followed."""
    lookahead: int | None = None
    """Tokens of the draft that are verified at once."""
    recovery: int | None = None
    """Tokens that must agree after a mismatch before the draft is followed again."""


_OURS = {VERIFY: VerifyParams, REWRITE: RewriteParams}
"""The parameters of our own requests, by method."""


def is_request(method: str) -> bool:
    """Whether a method has an answer."""
    return method in _OURS or types.METHOD_TO_TYPES[method][1] is not None


def structured(method: str, params: object) -> Any:  # noqa: ANN401 - the type is the method's
    """A method's parameters as LSP's types, or as ours; None if the method takes none.

    Args:
        params: What `json.loads` has made of them.

    Raises:
        JsonRpcInvalidParams: they are not what the method takes.
    """
    wanted: Any = _OURS.get(method) or types.METHOD_TO_TYPES[method][2]
    if wanted is None:
        return None
    if not isinstance(params, dict):
        raise JsonRpcInvalidParams(f"{method}: its params must be an object")
    try:
        return CONVERTER.structure(params, wanted)
    except Exception as error:  # cattrs raises whatever its hooks meet: groups, TypeError, KeyError, ...
        raise JsonRpcInvalidParams(f"{method}: {sentences(error)}") from error


def sentences(error: Exception) -> str:
    """What is wrong with a value that the converter rejected, each fault in a sentence."""
    return "; ".join(map(_sentence, cattrs.transform_error(error, path="", format_exception=_predicate)))


def _predicate(fault: BaseException, wanted: type | None) -> str:
    """What is wrong with a field: its sentence without the field's name.

    Args:
        wanted: The field's type; None if the fault is not in one field.
    """
    if isinstance(fault, KeyError):
        return "is missing"
    kinds = [kind for kind in get_args(wanted) if kind is not NoneType]
    if len(kinds) == 1:  # the field may be left out
        (wanted,) = kinds
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return f"must be {either(repr(member.value) for member in wanted)}"
    if wanted in _KINDS:
        return f"must be {_KINDS[wanted]}"
    if isinstance(wanted, type) and not wanted.__module__.startswith("lsprotocol"):
        return f"must be a {wanted.__name__}"
    if isinstance(fault, ValueError) and wanted is None:  # a check of the whole: numbers beyond their range
        return "holds a number that is out of range"
    return "does not match the specification of LSP"


def _sentence(fault: str) -> str:
    """A fault that cattrs writes as `what @ .where`, as a sentence with names as in JSON."""
    what, _, where = fault.rpartition(" @ ")
    name = _UNDERSCORE.sub(lambda letter: letter[1].upper(), where.removeprefix("."))
    return f"'{name}' {what}" if name else f"its params do not match the specification of LSP ({what})"


def _checked(kind: type, value: object, wanted: type) -> object:
    """A value of type `kind`, or of an enumeration `wanted` of such values; 3.0 counts as the whole number 3.

    Raises:
        TypeError: the value has another type.
        ValueError: the enumeration does not have it.
    """
    if wanted is not kind:
        return wanted(value)
    if type(value) is kind:
        return value
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    raise TypeError(value)


def _converter() -> cattrs.Converter:
    """The converter of lsprotocol, which also knows our parameters and does not convert plain values."""
    strict = cattrs.Converter()
    for kind in _KINDS:
        strict.register_structure_hook(kind, partial(_checked, kind))
    converter = converters.get_converter(strict)
    for ours in _OURS.values():
        structure: Any = make_dict_structure_fn(ours, converter, text_document=override(rename="textDocument"))
        converter.register_structure_hook(ours, structure)
    return converter


CONVERTER = _converter()
