"""How messages look on the wire: LSP, and tsserver's protocol put into LSP's terms.

tsserver came before LSP and answers the same questions in other words: commands for methods, lines and columns from 1,
kinds by name. Put into LSP's words here, it needs no other supervision than everyone else. Protocol:
`typescript/lib/typescript.d.ts`, namespace `ts.server.protocol`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol

from context_index.uris import path_of

Json = dict[str, object]
_KINDS = {
    "method": 2, "construct": 2, "call": 2, "function": 3, "local function": 3, "constructor": 4, "property": 5,
    "getter": 5, "setter": 5, "accessor": 5, "JSX attribute": 5, "var": 6, "let": 6, "local var": 6, "parameter": 6,
    "class": 7, "local class": 7, "interface": 8, "module": 9, "external module name": 9, "enum": 13, "keyword": 14,
    "script": 17, "directory": 19, "enum member": 20, "const": 21, "string": 21, "type": 22, "alias": 18,
    "type parameter": 25, "warning": 1,
}  # fmt: skip
"""tsserver's kinds of completions as LSP's; "warning" is a mere word of the file."""
_SCRIPT_KINDS = {"javascript": "JS", "javascriptreact": "JSX", "typescript": "TS", "typescriptreact": "TSX"}
_ERROR, _HINT = 1, 4


class Dialect(Protocol):
    """Between LSP's messages and a server's bytes."""

    def encode(self, message: Json) -> bytes:
        """What is written for a message; nothing where the server has no word for it."""

    def decode(self, message: Json) -> Json:
        """What an incoming message says in LSP's terms."""


class Lsp:
    """As the protocol has it."""

    def encode(self, message: Json) -> bytes:
        """JSON behind its length."""
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(data), data)

    def decode(self, message: Json) -> Json:
        """It is in LSP's terms."""
        return message


class JsonLines:
    """Questions as lines; answers as the protocol has them."""

    def encode(self, message: Json) -> bytes:
        """JSON in a line."""
        return json.dumps(message).encode() + b"\n"

    def decode(self, message: Json) -> Json:
        """As it is."""
        return message


LSP = Lsp()
JSON_LINES = JsonLines()


class Tsserver:
    """TypeScript before 7."""

    def encode(self, message: Json) -> bytes:
        """A line of JSON for each command; what tsserver need not know is not written."""
        command = _command(str(message.get("method")), message.get("params"))
        if command is None:
            return b""
        name, arguments = command
        request = {"seq": message.get("id", 0), "type": "request", "command": name, "arguments": arguments}
        return json.dumps(request).encode() + b"\n"

    def decode(self, message: Json) -> Json:
        """An answer, or an event that nobody waits for."""
        if message.get("type") != "response":
            return {"method": "event"}
        answer: Json = {"id": message.get("request_seq")}
        if message.get("success"):
            return {**answer, "result": _answer(str(message.get("command")), message.get("body"))}
        said = str(message.get("message"))
        if said == "No content available.":
            return {**answer, "result": None}
        return {**answer, "error": {"message": said.partition("\n")[0]}}


def _command(method: str, params: object) -> tuple[str, Json] | None:
    given = params if isinstance(params, dict) else {}
    match method:
        case "initialize":
            quiet = {"includeCompletionsForModuleExports": False, "includeCompletionsWithInsertText": False}
            return "configure", {"hostInfo": "inscope", "preferences": quiet}
        case "textDocument/didOpen":
            item = given["textDocument"]
            kind = _SCRIPT_KINDS[item["languageId"]]
            return "open", {**_file(item), "fileContent": item["text"], "scriptKindName": kind}
        case "textDocument/didChange":  # opening an open file sets its text
            return "open", {**_file(given["textDocument"]), "fileContent": given["contentChanges"][0]["text"]}
        case "textDocument/didClose":
            return "close", _file(given["textDocument"])
        case "textDocument/completion":
            return "completionInfo", _place(given)
        case "textDocument/signatureHelp":
            return "signatureHelp", _place(given)
        case "textDocument/hover":
            return "quickinfo", _place(given)
        case "textDocument/diagnostic":
            return "semanticDiagnosticsSync", _file(given["textDocument"])
    return None


def _file(document: Json) -> Json:
    path = path_of(str(document["uri"]))
    return {"file": str(path if path is not None else Path(str(document["uri"])))}


def _place(params: Json) -> Json:
    document, position = params["textDocument"], params["position"]
    assert isinstance(document, dict)  # noqa: S101 -- we wrote it
    assert isinstance(position, dict)  # noqa: S101 -- we wrote it
    return {**_file(document), "line": position["line"] + 1, "offset": position["character"] + 1}


def _answer(command: str, body: object) -> object:
    match command, body:
        case "completionInfo", dict():
            return {"isIncomplete": bool(body.get("isIncomplete")), "items": [_item(one) for one in body["entries"]]}
        case "signatureHelp", dict():
            signatures = [_signature(one) for one in body["items"]]
            chosen, active = body.get("selectedItemIndex", 0), body.get("argumentIndex", 0)
            return {"signatures": signatures, "activeSignature": chosen, "activeParameter": active}
        case "quickinfo", dict():
            code = {"language": "typescript", "value": str(body.get("displayString"))}
            return {"contents": [code, _prose(body.get("documentation"))]}
        case "semanticDiagnosticsSync", list():
            return {"items": [_diagnostic(one) for one in body]}
    return None


def _item(entry: Json) -> Json:
    label = str(entry["name"])
    kind = _KINDS.get(str(entry.get("kind")), _KINDS["property"])
    insert = entry.get("insertText") or label
    return {"label": label, "insertText": insert, "kind": kind, "sortText": entry.get("sortText", "")}


def _signature(item: Json) -> Json:
    parameters = [_text(one["displayParts"]) for one in _list(item["parameters"])]
    between = _text(item["separatorDisplayParts"]).join(parameters)
    label = _text(item["prefixDisplayParts"]) + between + _text(item["suffixDisplayParts"])
    about = _text(item.get("documentation"))
    return {"label": label, "parameters": [{"label": one} for one in parameters], "documentation": about}


def _diagnostic(found: Json) -> Json:
    start = found["start"]
    assert isinstance(start, dict)  # noqa: S101 -- part of the protocol
    at = {"line": start["line"] - 1, "character": start["offset"] - 1}
    severity = _ERROR if found.get("category") == "error" else _HINT
    return {"range": {"start": at, "end": at}, "message": found["text"], "code": found["code"], "severity": severity}


def _text(parts: object) -> str:
    return "".join(str(part["text"]) for part in _list(parts))


def _prose(told: object) -> str:
    """Documentation is a text or the parts of one."""
    return told if isinstance(told, str) else _text(told)


def _list(value: object) -> list[Json]:
    return value if isinstance(value, list) else []
