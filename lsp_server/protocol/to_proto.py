"""From our types to LSP's; `from_proto` goes the other way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import NameKind
from lsp_server.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from context_index import Document, Edit, Encoding, Signatures
    from lsp_server.menu.order import Entry
    from lsp_server.session import Client, Snapshot
    from lsp_server.status import Status

_KINDS = {
    NameKind.VARIABLE: types.CompletionItemKind.Variable,
    NameKind.CONSTANT: types.CompletionItemKind.Constant,
    NameKind.PARAMETER: types.CompletionItemKind.Variable,
    NameKind.FUNCTION: types.CompletionItemKind.Function,
    NameKind.METHOD: types.CompletionItemKind.Method,
    NameKind.CLASS: types.CompletionItemKind.Class,
    NameKind.INTERFACE: types.CompletionItemKind.Interface,
    NameKind.TYPE: types.CompletionItemKind.Class,
    NameKind.TYPE_PARAMETER: types.CompletionItemKind.TypeParameter,
    NameKind.ENUM: types.CompletionItemKind.Enum,
    NameKind.ENUM_MEMBER: types.CompletionItemKind.EnumMember,
    NameKind.NAMESPACE: types.CompletionItemKind.Module,
    NameKind.MODULE: types.CompletionItemKind.Module,
    NameKind.PROPERTY: types.CompletionItemKind.Property,
}

_INVALID = {ErrorCode.MALFORMED_REQUEST, ErrorCode.POSITION_OUTSIDE, ErrorCode.FILE_NOT_FOUND}
"""Errors of the request; all others are errors in serving it."""


def error_code(code: ErrorCode) -> int:
    """The JSON-RPC error code for one of ours."""
    return int(types.ErrorCodes.InvalidParams if code in _INVALID else types.LSPErrorCodes.RequestFailed)


def text_range(document: Document, start: int, end: int, encoding: Encoding) -> types.Range:
    """The range of characters in the client's units."""
    return types.Range(
        types.Position(*document.client_position(start, encoding)),
        types.Position(*document.client_position(end, encoding)),
    )


def menu(
    entries: Sequence[Entry],
    place: tuple[int, int, int],
    *,
    snapshot: Snapshot,
    client: Client,
    incomplete: bool,
    data: Callable[[Entry], object],
) -> types.CompletionList:
    """Names for the completion menu; `sortText` makes clients keep our order.

    Args:
        place: Offsets of the start of the half-typed word, the cursor, and the end of the word.
        data: What the client sends back to resolve an entry.
    """
    document, encoding = snapshot.document, snapshot.encoding
    start, cursor, end = place

    def ranges(reach: int) -> tuple[types.Range, types.Range]:
        return (
            text_range(document, start - reach, cursor, encoding),
            text_range(document, start - reach, end, encoding),
        )

    usual = ranges(0)

    def item(number: int, entry: Entry) -> types.CompletionItem:
        one, edit, listed = entry.candidate, entry.import_edit, entry.candidate.listed
        module = types.CompletionItemLabelDetails(description=one.importable.module) if one.importable else None
        written, reach = (one.text, 0) if listed is None else (listed.written, listed.reach)
        insert, replace = ranges(reach) if reach else usual
        characters = list(listed.commit) if listed is not None and client.commit_characters else []
        return types.CompletionItem(
            label=one.text,
            label_details=module if client.label_details else None,
            kind=_KINDS[one.kind],
            detail=one.detail or None,
            sort_text=f"{number:05}",
            filter_text=document.text[start - reach : start] + one.text,
            text_edit=(
                types.InsertReplaceEdit(written, insert, replace)
                if client.insert_replace
                else types.TextEdit(insert, written)
            ),
            additional_text_edits=[text_edit(edit, snapshot)] if edit else None,
            commit_characters=characters or None,
            data=data(entry),
        )

    items = [item(number, entry) for number, entry in enumerate(entries)]
    return types.CompletionList(is_incomplete=incomplete, items=items)


def documentation(text: str, client: Client) -> types.MarkupContent:
    """Documentation in Markdown; clients without Markdown get the same text as plain text."""
    return types.MarkupContent(types.MarkupKind.Markdown if client.markdown else types.MarkupKind.PlainText, text)


def signatures(found: Signatures, client: Client) -> types.SignatureHelp:
    """The signatures of a function; each parameter is a part of its label."""
    return types.SignatureHelp(
        [
            types.SignatureInformation(
                one.label,
                documentation(one.documentation, client) if one.documentation else None,
                [types.ParameterInformation(parameter) for parameter in one.parameters],
                one.active,
            )
            for one in found.of
        ],
        found.active,
        found.active_signature.active,
    )


def text_edit(edit: Edit, snapshot: Snapshot) -> types.TextEdit:
    """An edit of the client's document."""
    return types.TextEdit(text_range(snapshot.document, edit.start, edit.end, snapshot.encoding), edit.text)


def ghost(text: str, place: types.Range, command: types.Command | None) -> types.InlineCompletionItem:
    r"""One inline completion.

    Lines end with "\n": VS Code converts them to the document's line ends; Neovim's buffers would show a "\r".

    Args:
        command: What the client executes once the text is accepted.
    """
    return types.InlineCompletionItem(text.replace("\r\n", "\n"), range=place, command=command)


def status(now: Status) -> dict[str, object]:
    """The parameters of `inscope/status`."""
    not_shown = now.last_withheld
    return {
        "state": str(now.state),
        "model": now.model,
        "message": now.message,
        "lastWithheld": {"reason": not_shown.reason, "message": not_shown.message} if not_shown else None,
    }
