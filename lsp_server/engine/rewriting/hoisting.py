"""Finds the names that a function in a block may stand for outside of the block, though the checker does not see it.

Some of them would be renamed and others not, so the function would stand for another name, or for none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import MentionForm, ModuleKind, mention_rules, mentions, module_kind, scopes_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from context_index import Hoisted, Syntax, Workspace

_VALUES = frozenset({MentionForm.NAME, MentionForm.SHORTHAND, MentionForm.SHORTHAND_PATTERN})
"""The forms in which a text says a variable."""


def parted_by_hoisting(workspace: Workspace, syntax: Syntax, name: str, renamed: Collection[int]) -> Iterator[int]:
    """The offsets of functions in blocks that are renamed, or keep a name, otherwise than what says it outside.

    Args:
        renamed: The offsets at which a rename writes, or has written, the name.
    """
    if ModuleKind.ES in (module_kind(syntax), workspace.module_kind(syntax.document)):  # strict code
        return
    for hoisted in mention_rules(syntax).hoisted(name):
        said = [hoisted.name, *_said_outside(syntax, name, hoisted)]
        if len({offset in renamed for offset in said}) > 1:
            yield hoisted.name


def _said_outside(syntax: Syntax, name: str, hoisted: Hoisted) -> Iterator[int]:
    """Where the function around a block says the name outside of the block, and no scope within declares it."""
    (block_start, block_end), (start, end) = hoisted.block, hoisted.around
    depth = len(scopes_at(syntax, start + 1))
    for mention in mentions(syntax, name):
        is_inside = block_start <= mention.start < block_end or not start <= mention.start < end
        if is_inside or mention.form not in _VALUES:
            continue
        scopes = scopes_at(syntax, mention.start)
        declared = next((len(scopes) - at for at, scope in enumerate(scopes) if name in scope.bindings), 0)
        if declared <= depth:
            yield mention.start
