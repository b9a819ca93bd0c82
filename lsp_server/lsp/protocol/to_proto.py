"""From our types to LSP's, for the handlers; `from_proto` goes the other way. `menu` is the longest of them.

Offsets are those of the client's document; the units of `Encoding` are the client's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import Encoding, NameKind, client_columns
from lsp_server.engine.model_host import ModelState
from lsp_server.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from context_index import Document, Edit, Signature, Signatures
    from lsp_server.engine.menu.candidates import MenuCandidate
    from lsp_server.engine.menu.order import MenuEntry
    from lsp_server.lsp.session import ClientCapabilities, Session, Snapshot
    from lsp_server.lsp.status import Status

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
    NameKind.KEYWORD: types.CompletionItemKind.Keyword,
}

_STAR = "★ "
_ABOVE = "!"
"""Begins a star's sort key: it sorts before the letters and digits with which other services' keys begin."""

_INVALID = {ErrorCode.MALFORMED_REQUEST, ErrorCode.POSITION_OUTSIDE, ErrorCode.FILE_NOT_FOUND}
"""Errors in the request itself; all others are errors in serving it."""


def error_code(code: ErrorCode) -> int:
    """The JSON-RPC error code for one of ours."""
    return int(types.ErrorCodes.InvalidParams if code in _INVALID else types.LSPErrorCodes.RequestFailed)


def text_range(document: Document, start: int, end: int, encoding: Encoding) -> types.Range:
    """The range between two offsets, in the client's units."""
    return types.Range(
        types.Position(*document.client_position(start, encoding)),
        types.Position(*document.client_position(end, encoding)),
    )


def written(candidate: MenuCandidate, start: int) -> tuple[int, str]:
    """Where an entry begins, and what it writes there.

    Args:
        start: Where the half-typed word begins.
    """
    listed = candidate.listed
    return (start, candidate.text) if listed is None else (start - listed.reach, listed.written)


def menu(
    entries: Sequence[MenuEntry],
    place: tuple[int, int, int],
    *,
    snapshot: Snapshot,
    client: ClientCapabilities,
    stars: int,
    comma: Edit | None,
    incomplete: bool,
    data: Callable[[MenuEntry], object],
) -> types.CompletionList:
    """The completion menu; `sortText` makes clients keep our order.

    Args:
        place: Offsets, in the client's document, of the start of the half-typed word, the cursor, and the end of the
            word.
        stars: How many of the first entries have a star, and stand above what other services list.
        comma: The missing comma before a key, which every entry adds; None where none is missing.
        incomplete: Whether the client is to ask again at the next keystroke.
        data: Makes the data of an entry that the client sends back to resolve it.
    """
    form = _MenuForm(place, snapshot, client, stars, comma, data)
    items = [form.item(number, entry) for number, entry in enumerate(entries)]
    return types.CompletionList(is_incomplete=incomplete, items=items)


@dataclass(frozen=True)
class _MenuForm:
    """What the items of one menu have in common; the fields are the parameters of `menu`."""

    place: tuple[int, int, int]
    snapshot: Snapshot
    client: ClientCapabilities
    stars: int
    comma: Edit | None
    data: Callable[[MenuEntry], object]

    def item(self, number: int, entry: MenuEntry) -> types.CompletionItem:
        """An entry, by its number in the menu, which is from 0 and its sort key."""
        candidate, listed, client = entry.candidate, entry.candidate.listed, self.client
        is_star, reach = number < self.stars, 0 if listed is None else listed.reach
        module = (
            types.CompletionItemLabelDetails(description=candidate.importable.module) if candidate.importable else None
        )
        start, *_ = self.place
        _, text = written(candidate, start)
        insert, replace = self._ranges(reach) if reach else self._usual_ranges
        additional = [text_edit(edit, self.snapshot) for edit in (entry.import_edit, self.comma) if edit]
        return types.CompletionItem(
            label=f"{_STAR}{candidate.text}" if is_star else candidate.text,
            label_details=module if client.label_details else None,
            kind=_KINDS[candidate.kind],
            detail=candidate.detail or None,
            sort_text=f"{_ABOVE if is_star else ''}{number:05}",
            preselect=True if is_star and number == 0 else None,
            filter_text=self.snapshot.document.text[start - reach : start] + candidate.text,
            text_edit=(
                types.InsertReplaceEdit(text, insert, replace)
                if client.insert_replace
                else types.TextEdit(insert, text)
            ),
            additional_text_edits=additional or None,
            commit_characters=list(listed.commit) or None if listed is not None and client.commit_characters else None,
            data=self.data(entry),
        )

    @cached_property
    def _usual_ranges(self) -> tuple[types.Range, types.Range]:
        """`_ranges` of the entries that begin where the word does, as nearly all do; computed once."""
        return self._ranges(0)

    def _ranges(self, reach: int) -> tuple[types.Range, types.Range]:
        """What an entry replaces if it is inserted (up to the cursor), and if it replaces the word (up to its end).

        Args:
            reach: How many characters before the word both begin: `?.name` replaces the dot before the word as well.
        """
        document, encoding = self.snapshot.document, self.snapshot.encoding
        start, cursor, end = self.place
        return (
            text_range(document, start - reach, cursor, encoding),
            text_range(document, start - reach, end, encoding),
        )


def documentation(text: str, client: ClientCapabilities) -> types.MarkupContent:
    """Documentation in Markdown; clients without Markdown get the same text as plain text."""
    return types.MarkupContent(types.MarkupKind.Markdown if client.markdown else types.MarkupKind.PlainText, text)


def signatures(answer: Signatures, client: ClientCapabilities) -> types.SignatureHelp:
    """The signatures of a function; each parameter is a part of its signature's label.

    A client that takes the part's place gets it, as one parameter's text may be within another's.
    """

    def labels(signature: Signature) -> Iterator[str | tuple[int, int]]:
        for text, span in zip(signature.parameters, signature.spans, strict=True):
            if span is None or not client.label_spans:
                yield text
            else:
                start, end = (client_columns(signature.label[:offset], Encoding.UTF16) for offset in span)
                yield start, end

    return types.SignatureHelp(
        [
            types.SignatureInformation(
                signature.label,
                documentation(signature.documentation, client) if signature.documentation else None,
                [types.ParameterInformation(label) for label in labels(signature)],
                signature.active,
            )
            for signature in answer.of
        ],
        answer.active,
        answer.active_signature.active,
    )


def text_edit(edit: Edit, snapshot: Snapshot) -> types.TextEdit:
    """An edit of the client's document."""
    return types.TextEdit(text_range(snapshot.document, edit.start, edit.end, snapshot.encoding), edit.text)


def workspace_edit(
    edited: Iterable[tuple[Document, Sequence[tuple[Edit, str]]]],
    annotations: Mapping[str, types.ChangeAnnotation],
    session: Session,
    encoding: Encoding,
) -> types.WorkspaceEdit:
    """Edits of documents as they are now, in the form that the client takes.

    Args:
        edited: Each document with its edits; each edit has the name of its annotation, empty if nobody confirms it.
        annotations: The annotations by name; a client that does not support them gets plain edits.
    """
    client = session.client

    def plain(document: Document, edit: Edit) -> types.TextEdit:
        return types.TextEdit(text_range(document, edit.start, edit.end, encoding), edit.text)

    def annotated(document: Document, edit: Edit, annotation: str) -> types.TextEdit | types.AnnotatedTextEdit:
        plain_edit = plain(document, edit)
        is_annotated = bool(annotation) and client.annotations
        return (
            types.AnnotatedTextEdit(annotation, plain_edit.range, plain_edit.new_text) if is_annotated else plain_edit
        )

    if not client.document_changes:
        return types.WorkspaceEdit(changes={now.uri: [plain(now, edit) for edit, _ in edits] for now, edits in edited})
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    used = set[str]()
    for now, edits in edited:
        version = now.revision if session.current(now.uri) is now else None
        identifier = types.OptionalVersionedTextDocumentIdentifier(now.uri, version)
        changes.append(types.TextDocumentEdit(identifier, [annotated(now, edit, name) for edit, name in edits]))
        used |= {name for _, name in edits}
    sent = {name: annotation for name, annotation in annotations.items() if name in used and client.annotations}
    return types.WorkspaceEdit(document_changes=changes, change_annotations=sent or None)


def ghost(text: str, place: types.Range, command: types.Command | None) -> types.InlineCompletionItem:
    r"""One inline completion.

    Lines end with "\n": VS Code converts them to the document's line ends; Neovim's buffers would show a "\r".

    Args:
        place: The range that the text replaces.
        command: What the client executes once the text is accepted.
    """
    return types.InlineCompletionItem(text.replace("\r\n", "\n"), range=place, command=command)


def status(now: Status) -> dict[str, object]:
    """The parameters of the notification `inscope/status`; `lsp/status.py` describes them."""
    not_shown = now.last_withheld
    return {
        "state": "starting" if now.is_starting and now.state is ModelState.READY else str(now.state),
        "model": now.model,
        "message": now.message,
        "lastWithheld": not_shown
        and {
            "reason": str(not_shown.reason),
            "message": not_shown.message,
            "details": not_shown.details,
        },
        "problems": [{"name": problem.name, "message": problem.message} for problem in now.problems],
    }
