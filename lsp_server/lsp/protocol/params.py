"""From JSON to LSP's types, or an error that says what is wrong, in a sentence and with the protocol's names.

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

Json = Any
"""What `json.loads` gives."""
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
    """What `inscope/rewrite` asks: rewrite a range, the declarations that the instruction names, or the document."""

    text_document: types.TextDocumentIdentifier
    range: types.Range | None = None
    instruction: str | None = None
    rename: str | None = None
    """`OLD=NEW`, in place of an instruction."""
    all: bool | None = None
    """Whether a rename takes the places that may have the name."""
    draft: str | None = None
    """What the range is expected to become; by default what it is."""
    policy: DraftPolicy | None = None
    """How the draft is followed."""
    lookahead: int | None = None
    recovery: int | None = None


_OURS = {VERIFY: VerifyParams, REWRITE: RewriteParams}
"""The parameters of our own requests, by method."""


def is_request(method: str) -> bool:
    """Whether a method has an answer."""
    return method in _OURS or types.METHOD_TO_TYPES[method][1] is not None


def structured(method: str, params: Json) -> Any:  # noqa: ANN401 - the type is the method's
    """Parameters as LSP's types, or as ours.

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
    """What is wrong with a value that the converter did not take."""
    return "; ".join(map(_sentence, cattrs.transform_error(error, path="", format_exception=_predicate)))


def _predicate(fault: BaseException, wanted: type | None) -> str:
    """What is wrong with a field: the sentence without its name."""
    if isinstance(fault, KeyError):
        return "is missing"
    kinds = [kind for kind in get_args(wanted) if kind is not NoneType]
    if len(kinds) == 1:  # the field may be left out
        (wanted,) = kinds
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return f"must be {either(repr(one.value) for one in wanted)}"
    if wanted in _KINDS:
        return f"must be {_KINDS[wanted]}"
    if isinstance(wanted, type) and not wanted.__module__.startswith("lsprotocol"):
        return f"must be a {wanted.__name__}"
    if isinstance(fault, ValueError) and wanted is None:  # a check of the whole: numbers beyond their range
        return "holds a number that is out of range"
    return "does not match the specification of LSP"


def _sentence(fault: str) -> str:
    """The `what @ .where` of cattrs as a sentence, with names as in JSON."""
    what, _, where = fault.rpartition(" @ ")
    name = _UNDERSCORE.sub(lambda found: found[1].upper(), where.removeprefix("."))
    return f"'{name}' {what}" if name else f"its params do not match the specification of LSP ({what})"


def _taken(kind: type, value: Json, wanted: type) -> Json:
    """A value of a plain kind or of an enumeration of such; a whole number may be written with a fraction of 0."""
    if wanted is not kind:
        return wanted(value)
    if type(value) is kind:
        return value
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    raise TypeError(value)


def _converter() -> cattrs.Converter:
    strict = cattrs.Converter()
    for kind in _KINDS:
        strict.register_structure_hook(kind, partial(_taken, kind))
    converter = converters.get_converter(strict)
    for ours in _OURS.values():
        structure: Any = make_dict_structure_fn(ours, converter, text_document=override(rename="textDocument"))
        converter.register_structure_hook(ours, structure)
    return converter


CONVERTER = _converter()
