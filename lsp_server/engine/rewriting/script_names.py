"""Whether a name is one at the top of a script, so that pages and other scripts may say it: `<a onclick="save()">`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import ModuleKind, mention_rules, module_kind

if TYPE_CHECKING:
    from context_index import Document
    from lsp_server.engine.rewriting.rename_proposal import RenameProposal


def is_of_script(proposal: RenameProposal) -> bool:
    """Whether a script, and no module, declares the renamed name outside of functions, blocks and classes."""
    return any(_is_declared_in_script(proposal, document) for document in proposal.documents)


def _is_declared_in_script(proposal: RenameProposal, document: Document) -> bool:
    syntax = proposal.trees.of(document)
    rules, edits = mention_rules(syntax), proposal.meaning.edits.get(document.uri, ())
    if not any(rules.is_declared_at_top(edit.start) for edit in edits):
        return False
    if module_kind(syntax) is not None:  # its suffix or its code says that it is a module
        return False
    # the package, or most files around it, may have it loaded as one; CommonJS without `require` may be a page's script
    return proposal.workspace.module_kind(document) is not ModuleKind.ES
