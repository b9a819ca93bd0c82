"""Leaves out places that would have a module's renamed name only if the program used that module as a value.

`cart.total` means the `total` of the module `shop` if `cart` may be that module, and a string `"total"` may be passed
to `getattr`. A module is a value if its name is used for more than its members, or if a finder gets it. Finders take
computed names: `importlib.import_module`, `sys.modules`, `import(path)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import Doubt, mention_rules, module_finders, path_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Document, NewNameUse, Perhaps
    from lsp_server.engine.rewriting.rename_proposal import RenameProposal


def possible_places(proposal: RenameProposal) -> Sequence[Perhaps]:
    """The places that the checker leaves open, without those that cannot have the renamed name.

    If that is a module's, they are left out after a receiver without a type, and alone in a string, unless a module
    that has it may be a value.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    perhaps = proposal.meaning.perhaps
    by_uri = {document.uri: document for document in proposal.documents}
    needing_a_value = [
        place
        for place in perhaps
        if place.doubt is Doubt.UNTYPED or (place.doubt is Doubt.TEXT and not _is_path(by_uri[place.uri], place))
    ]
    if not needing_a_value or not _is_of_module(proposal) or _has_modules_as_values(proposal):
        return perhaps
    return [place for place in perhaps if place not in needing_a_value]


def possible_uses_of_new_name(proposal: RenameProposal) -> Sequence[NewNameUse]:
    """The places that ask for the new name already, without those that cannot be asking a module that will have it.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    uses = proposal.meaning.new_uses
    typed = [use for use in uses if not use.is_untyped]
    if len(typed) == len(uses) or not _is_of_module(proposal) or _has_modules_as_values(proposal):
        return uses
    return typed


def _is_of_module(proposal: RenameProposal) -> bool:
    """Whether the renamed name is a module's, and so neither a member's nor visible in one function only."""
    return not (proposal.meaning.is_member or proposal.meaning.is_local)


def _is_path(document: Document, place: Perhaps) -> bool:
    """Whether a string says whose the name is: `"shop.total"`."""
    return document.text[place.edit.start - 1 : place.edit.start] in (".", ":")


def _has_modules_as_values(proposal: RenameProposal) -> bool:
    """Whether a module that has the renamed name may be a value.

    Asked are the proposal's first file, and all files of the workspace that name such a module or a finder.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    document, trees = proposal.documents[0], proposal.trees
    modules = set[str]()
    for path in filter(None, map(path_of, proposal.meaning.edits)):
        modules |= {path.stem, path.parent.name} if path.stem in ("__init__", "index") else {path.stem}
    words = mention_rules(trees.of(document)).finding_words | modules
    checked = [document, *proposal.workspace.mentioning(words, document)]
    rules = [mention_rules(trees.of(each)) for each in checked]
    asked = [each for each, rules_there in zip(checked, rules, strict=True) if rules_there.said_finders]
    answers = module_finders(proposal.checker, asked, trees).result() if asked else ()
    finders = {each.uri: found for each, found in zip(asked, answers, strict=True)}
    return any(
        rules_there.has_modules_as_values(modules, finders.get(each.uri, frozenset()))
        for each, rules_there in zip(checked, rules, strict=True)
    )
