"""The questions that a checker can be asked about one document, each as a method that waits for the answer.

Offsets are those of the document, whatever lines of ours the checker has in its copy; what it reports of those lines is
dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from context_index.checkers.answers import (
    Description,
    Diagnostic,
    Item,
    PositionCodec,
    QuickFix,
    Target,
    completion_item,
    completion_items,
    data_members,
    definitions,
    described,
    diagnostics,
    edits_by_uri,
    hierarchy_items,
    quick_fixes,
    signatures,
    targets,
    text_edit,
)
from context_index.checkers.cancellation import Cancellation
from context_index.checkers.connection import Connection, Reply
from context_index.checkers.copies import CheckerCopy
from context_index.symbols import NameKind, Signatures
from context_index.text import Edit, Encoding


class Query:
    """One document, open in the checker that is asked about it; `Checker.ask` hands it to the function that asks."""

    def __init__(
        self,
        connection: Connection,
        copy: CheckerCopy,
        *,
        encoding: Encoding,
        seconds: float,
        cancellation: Cancellation,
        source: str = "",
        version: int | None = None,
    ) -> None:
        """See the class.

        Args:
            source: what the checker calls itself.
            version: that of the document, of which it publishes diagnostics; None where it is asked for them.
        """
        self._connection, self._copy, self._cancellation = connection, copy, cancellation
        self._codec = PositionCodec(copy.document, encoding)
        self._seconds = seconds
        self._source, self._version = source, version
        self.uri = copy.document.uri
        """The URI by which the checker knows the document."""
        self._identifier = {"uri": self.uri}

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that the checker reports of the document."""
        return self.diagnostics_and_definitions(())[0]

    def diagnostics_and_definitions(
        self, names: Iterable[int]
    ) -> tuple[tuple[Diagnostic, ...], Mapping[int, Sequence[int | None]]]:
        """Diagnostics, and where the names at some offsets are defined. Asked together.

        A definition is an offset in the document; None stands for a place in another file.
        """
        document = {"textDocument": self._identifier}
        asked = self._published() if self._version is not None else self._request("textDocument/diagnostic", document)
        places = {name: self._request("textDocument/definition", self._place(name)) for name in names}
        copy = self._copy
        found = tuple(
            replace(one, start=copy.outward(one.start), end=copy.outward(one.end))
            for one in diagnostics(asked.wait(self._seconds), self._codec)
            if not copy.is_ours(one.start, one.end)
        )
        return found, {name: self._definitions(place.wait(self._seconds)) for name, place in places.items()}

    def quick_fixes(self, diagnostic: Diagnostic) -> tuple[QuickFix, ...]:
        """The repairs that the checker offers for an error, the best first."""
        place = self._codec.range(self._copy.inward(diagnostic.start), self._copy.inward(diagnostic.end))
        reported = {
            "range": place,
            "severity": int(diagnostic.severity),
            "code": int(diagnostic.code) if diagnostic.code.isdigit() else diagnostic.code,
            "message": diagnostic.message,
            "source": self._source,
        }
        params = {
            "textDocument": self._identifier,
            "range": place,
            "context": {"diagnostics": [reported], "only": ["quickfix"]},
        }
        answer, resolve = self._result("textDocument/codeAction", params), partial(self._result, "codeAction/resolve")
        fixes = quick_fixes(answer, self._codec, resolve)
        return tuple(QuickFix(fix.title, tuple(map(self._outward, fix.edits))) for fix in fixes)

    def descriptions(self, places: Iterable[int]) -> tuple[Description | None, ...]:
        """What the checker says of the names at some offsets; None where it says nothing. Asked together."""
        asked = [self._request("textDocument/hover", self._place(place)) for place in places]
        return tuple(described(one.wait(self._seconds)) for one in asked)

    def completions(self, offset: int, *, typed: bool = False) -> tuple[Item, ...]:
        """What the checker lists at an offset, in its own order.

        Args:
            typed: whether the checker is asked about each item whose type its list does not say.
        """
        self._settle()  # before it has read a text once, it lists whatever words there are
        found = completion_items(self._result("textDocument/completion", self._place(offset)))
        if typed:
            later = {at: item for at, item in enumerate(found) if "detail" not in item and "data" in item}
            asked = {at: self._request("completionItem/resolve", item) for at, item in later.items()}
            for at, reply in asked.items():
                answer = reply.wait(self._seconds)
                found[at] = answer if isinstance(answer, dict) else found[at]
        items = (completion_item(item, self._codec) for item in found)
        outward = self._copy.outward
        return tuple(item if item.start is None else replace(item, start=outward(item.start)) for item in items)

    def signatures(self, offset: int) -> Signatures | None:
        """The ways to call the function in whose call an offset is; None where the checker knows of none."""
        return signatures(self._result("textDocument/signatureHelp", self._place(offset)))

    def members(self, places: Iterable[int]) -> tuple[Mapping[str, NameKind], ...]:
        """The public members, without methods, of what ends with the dot before each offset. Asked together."""
        asked = [self._request("textDocument/completion", self._place(place)) for place in places]
        return tuple(dict(data_members(one.wait(self._seconds))) for one in asked)

    def is_renamed(self, offset: int) -> bool:
        """Whether the name at an offset can be renamed.

        Raises:
            CheckerRefusedError: it cannot; the checker says why.
        """
        return self._result("textDocument/prepareRename", self._place(offset)) is not None

    def rename(self, offset: int, new: str) -> Mapping[str, Sequence[object]]:
        """By URI, LSP's edits that rename what is meant by the name at an offset, in all files that the checker knows.

        Raises:
            CheckerRefusedError: it cannot be renamed; the checker says why.
        """
        self._settle()
        return edits_by_uri(self._result("textDocument/rename", {**self._place(offset), "newName": new}))

    def targets(self, places: Iterable[int]) -> tuple[tuple[Target, ...], ...]:
        """Where the names at some offsets are defined, in whatever file; empty where nobody knows. Asked together."""
        self._settle()
        asked = [self._request("textDocument/definition", self._place(place)) for place in places]
        return tuple(targets(one.wait(self._seconds)) for one in asked)

    def class_at(self, offset: int) -> tuple[Target, object] | None:
        """The class whose name is at an offset: where that is, and what asks for `bases` and `subclasses`.

        None where the checker knows of none.
        """
        return next(iter(hierarchy_items(self._result("textDocument/prepareTypeHierarchy", self._place(offset)))), None)

    def bases(self, of_class: object) -> tuple[tuple[Target, object], ...]:
        """The classes that a class derives from directly: where their names are, and what asks for theirs."""
        return hierarchy_items(self._result("typeHierarchy/supertypes", {"item": of_class}))

    def subclasses(self, of_class: object) -> tuple[tuple[Target, object], ...]:
        """The classes that derive from a class directly, as `bases` returns them."""
        return hierarchy_items(self._result("typeHierarchy/subtypes", {"item": of_class}))

    def offset(self, target: Target) -> int | None:
        """The offset in the document of a place in it; None for one in our lines."""
        place = {"line": target.line, "character": target.character}
        offsets = self._codec.offsets({"start": place, "end": place})
        if offsets is None or self._copy.is_ours(offsets[0], offsets[0] + 1):
            return None
        return self._copy.outward(offsets[0])

    def edit(self, found: object) -> Edit | None:
        """LSP's edit as one of the document; None for any other value."""
        edit = text_edit(found, self._codec)
        return None if edit is None else self._outward(edit)

    def _place(self, offset: int) -> Mapping[str, object]:
        return {"textDocument": self._identifier, "position": self._codec.position(self._copy.inward(offset))}

    def _definitions(self, answer: object) -> Sequence[int | None]:
        places = definitions(answer, self._codec, self.uri)
        return [
            None if place is None or self._copy.is_ours(place, place) else self._copy.outward(place) for place in places
        ]

    def _settle(self) -> None:
        """Wait until a process that publishes has read the document, and what it includes, as they are now."""
        if self._version is not None:
            self._published().wait(self._seconds)

    def _published(self) -> Reply:
        """What the checker publishes of the document as it was shown last."""
        reply = self._connection.published(self.uri, self._version or 0)
        if self._cancellation.is_cancelled:
            self._connection.cancel_requests()
        return reply

    def _request(self, method: str, params: object) -> Reply:
        reply = self._connection.request(method, params)
        if self._cancellation.is_cancelled:  # perhaps since the request before
            self._connection.cancel_requests()
        return reply

    def _result(self, method: str, params: object) -> object:
        return self._request(method, params).wait(self._seconds)

    def _outward(self, edit: Edit) -> Edit:
        """An edit of the copy as one of the document, with its line ends: TypeScript writes its platform's.

        What would be below a line of ours, or below a comment that a checker takes for the file's head, begins the
        document: it needs no empty line above.
        """
        start, end = self._copy.outward(edit.start), self._copy.outward(edit.end)
        text = edit.text.replace("\r\n", "\n")
        text = text if start or end else text.lstrip("\n")
        return Edit(start, end, text.replace("\n", self._copy.document.newline))
