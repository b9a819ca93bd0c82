"""Which imports a suggestion needs, from where, and the edit that brings them.

Knows how a name is used, not what modules do: of two candidates, the kind that fits the use is taken, else the nearer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import NameKind, difference, import_edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from context_index import Edit, Importable, ModuleKind, Syntax
    from lsp_server.checks.references import Reference

_CLASSES = frozenset({NameKind.CLASS})
_CALLED = frozenset({NameKind.FUNCTION, NameKind.CLASS})
_HOLDERS = frozenset({NameKind.MODULE, NameKind.NAMESPACE, NameKind.ENUM, NameKind.CLASS, NameKind.CONSTANT})
_TYPES = frozenset({NameKind.INTERFACE, NameKind.TYPE, NameKind.CLASS, NameKind.ENUM})
_BEFORE_CLASS = re.compile(r"\b(?:new|extends|instanceof|except|raise|throw\s+new)\s+$")
_BEFORE_TYPE = re.compile(r"(?:\bimplements\s+|[\w)\]]\s*\??:\s*|->\s*)$")
_REACH = 40


@dataclass(frozen=True, slots=True)
class Brought:
    """What a suggestion imports."""

    names: tuple[Importable, ...] = ()
    edits: tuple[Edit, ...] = ()
    """Of the document without the suggestion."""


NOTHING = Brought()


def needed(
    finished: Syntax, missing: Iterable[Reference], offered: Mapping[str, Sequence[Importable]]
) -> tuple[Importable, ...]:
    """For each missing name that is offered the candidate that fits its first use best; nearest first where many do.

    Args:
        finished: The text with the suggestion in it, where the names are missing.
    """
    chosen: dict[str, Importable] = {}
    for reference in missing:
        candidates = offered.get(reference.name)
        if candidates and reference.name not in chosen:
            fitting = _fitting(finished, reference)
            chosen[reference.name] = next((one for one in candidates if one.kind in fitting), candidates[0])
    return tuple(chosen.values())


def brought(syntax: Syntax, names: Sequence[Importable], around: ModuleKind | None = None) -> Brought:
    """The edits after which all of `names` are in scope, as few as can be.

    Args:
        around: How a script is loaded that does not say it.
    """
    if not names:
        return NOTHING
    imported, edit = syntax, import_edit(syntax, names[0], around)
    for count, name in enumerate(names):
        edit = import_edit(imported, name, around)
        if len(names) == 1:
            return Brought(tuple(names), (edit,))
        imported = imported.edited(imported.document.edited([edit], count), [edit])
    return Brought(tuple(names), (difference(syntax.document.text, imported.document.text),))


def offered(importable: Iterable[Importable]) -> dict[str, list[Importable]]:
    """Candidates by name, each list in the order given."""
    by_name: dict[str, list[Importable]] = {}
    for one in importable:
        by_name.setdefault(one.text, []).append(one)
    return by_name


def _fitting(finished: Syntax, reference: Reference) -> frozenset[NameKind]:
    """The kinds of things that are used like this."""
    text, end = finished.document.text, reference.offset + len(reference.name)
    before = text[max(reference.offset - _REACH, 0) : reference.offset]
    behind = text[end : end + _REACH].lstrip()
    if _BEFORE_CLASS.search(before):
        return _CLASSES
    if behind.startswith("("):
        return _CALLED
    if behind.startswith((".", "?.")):
        return _HOLDERS
    is_annotation = finished.node_at(reference.offset, end).type == "type_identifier" or _BEFORE_TYPE.search(before)
    return _TYPES if is_annotation else frozenset()
