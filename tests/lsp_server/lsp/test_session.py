"""Whole sessions with the real server, the real model and a real pipe."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.files import lay_out
from tests.lsp_server.process import PATIENCE, ROOT, Process, at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.lsp_server.forked import Forked

pytestmark = pytest.mark.slow

Json = Any

SHOP = {
    "cart.js": "export function addToCart(cart, item) {\n  cart.items.push(item);\n  return cart;\n}\n\n"
    "export function emptyCart() {\n  return { items: [] };\n}\n",
    "tax.py": "RATE = 0.19\n\n\ndef with_tax(net):\n    return net * (1 + RATE)\n",
    ".gitignore": "dist/\n",
    "dist/bundle.js": "export function bundledOnly() {}\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "shop", SHOP)


@pytest.fixture
def server(tmp_path: Path, servers: Forked) -> Iterator[Process]:
    with Process(tmp_path / "server.log", forked=servers) as process:
        yield process


FUNCTION = """function totalPrice(items, taxRate) {
  let sum = items.length;
  return sum * (1 + taxRate);
}
"""


PATIENT = {"inline": {"eagerness": "eager", "deadlineMs": 60_000}, "checker": {"deadlineMs": 10_000}}
"""Time decides nothing, and what is shown unasked need not be probable."""


def test_a_function_typed_character_by_character(server: Process, shop: Path) -> None:
    """Menu and ghost text at every key, some cancelled; each request is answered exactly once."""
    server.start(shop, initializationOptions=PATIENT)
    uri = (shop / "total.js").as_uri()
    server.open(uri, "javascript", "")
    line = character = 0
    cancelled, ghosts, menus = set(), {}, {}
    for version, typed in enumerate(FUNCTION):
        server.edit(uri, version + 2, (line, character), typed)
        line, character = (line + 1, 0) if typed == "\n" else (line, character + 1)
        menus[server.send_menu(uri, line, character)] = (line, character)
        ident = server.send_inline(uri, line, character, invoked=version % 7 == 0)
        ghosts[ident] = (line, character)
        if version % 5 == 0:
            server.notify("$/cancelRequest", id=ident)
            cancelled.add(ident)
        elif version % 7 == 0:  # a person who asks and waits
            server.answer(ident)
    shown = check_ghosts({ident: server.answer(ident) for ident in ghosts}, ghosts, cancelled)
    assert shown, "no ghost text in a whole function"
    offered = {item["label"] for ident in menus for item in server.answer(ident)["result"]["items"]}
    assert {"items", "taxRate", "sum", "totalPrice"} <= offered
    text = server.ask("textDocument/completion", textDocument={"uri": uri}, position=at(line, character))
    assert text["items"] or text["isIncomplete"]
    assert server.leave() == 0


def check_ghosts(answers: dict[int, Json], places: dict[int, tuple[int, int]], cancelled: set[int]) -> int:
    """How many showed something; each at its own place or, if typed through meanwhile, after it."""
    shown = 0
    for ident, answer in answers.items():
        if "error" in answer:
            assert ident in cancelled
            assert answer["error"]["code"] == -32800
            continue
        for item in answer["result"]["items"]:
            shown += 1
            assert item["insertText"].strip()
            start = item["range"]["start"]
            assert (start["line"], start["character"]) >= places[ident]
    return shown


def test_typing_through_ghost_text_and_fifty_requests_at_once(server: Process, shop: Path) -> None:
    server.start(shop, initializationOptions=PATIENT)
    uri = (shop / "total.js").as_uri()
    text = "class Box {\n  constructor(width, height) {\n    this.width = width;\n    this.height = "
    server.open(uri, "javascript", text + "\n  }\n}\n")
    (item,) = server.inline(uri, 3, 18)
    ghost = item["insertText"].split("\n")[0]
    for typed in range(1, len(ghost)):
        server.edit(uri, typed + 1, (3, 17 + typed), ghost[typed - 1])
        (item,) = server.inline(uri, 3, 18 + typed)
        assert item["insertText"].startswith(ghost[typed:])
        assert item["range"] == {"start": at(3, 18 + typed), "end": at(3, 18 + typed)}
    assert server.log.read_text("utf-8").count("typed through") == len(ghost) - 1
    server.edit(uri, len(ghost) + 1, (3, 17 + len(ghost)), " - ")
    idents = [server.send_inline(uri, 3, 20 + len(ghost)) for _ in range(50)]
    for ident in idents:
        assert isinstance(server.answer(ident)["result"]["items"], list)
    assert server.leave() == 0


def test_members_are_listed_ranked_and_described(server: Process, shop: Path) -> None:
    server.start(shop, initializationOptions={"completion": {"deadlineMs": 10_000, "limit": 2000}})
    uri = (shop / "paths.py").as_uri()
    server.open(uri, "python", "import os\n\nhere = os.path.join(os.getcwd(), 'a')\nprint(os.\n")
    menu: Json = {"isIncomplete": True}
    for _ in range(60):  # while the model is loaded, menus are incomplete
        if not menu["isIncomplete"]:
            break
        server.inline(uri, 3, 9)
        menu = server.menu(uri, 3, 9)
    first = min(menu["items"], key=lambda item: item["sortText"])
    assert first["label"] in ("path", "getcwd")  # the file has them already
    entry = next(item for item in menu["items"] if item["label"] == "getcwd")
    assert "-> str" in server.ask("completionItem/resolve", **entry)["detail"]
    assert server.leave() == 0


def test_exports_of_the_workspace_and_both_roots(server: Process, shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "ship.js").write_text("export function shipParcel() {}\n", "utf-8")
    server.start(shop, other)
    server.heard("$/progress", 2)
    offered = {}
    for root, typed in ((shop, "addT"), (shop, "bundled"), (other, "shipP")):
        uri = (root / f"new_{typed}.js").as_uri()
        server.open(uri, "javascript", typed)
        menu = server.menu(uri, 0, len(typed))
        offered[typed] = {item["label"]: item for item in menu["items"]}
    cart = offered["addT"]["addToCart"]
    assert cart["detail"].endswith("from ./cart")
    (brought,) = cart["additionalTextEdits"]
    assert "import { addToCart } from" in brought["newText"]
    assert "bundledOnly" not in offered["bundled"]
    assert offered["shipP"]["shipParcel"]["detail"].endswith("from ./ship")
    server.notify("workspace/didChangeWorkspaceFolders",
                  event={"added": [], "removed": [{"uri": other.as_uri(), "name": "other"}]})  # fmt: skip
    server.heard("$/progress", 4)
    server.open((other / "late.js").as_uri(), "javascript", "shipP")
    assert "shipParcel" not in {item["label"] for item in server.menu((other / "late.js").as_uri(), 0, 5)["items"]}
    assert server.leave() == 0


def test_files_that_change_on_disk_and_unsaved_texts(server: Process, shop: Path) -> None:
    server.start(shop)
    server.heard("$/progress", 2)
    uri = (shop / "new.js").as_uri()
    server.open(uri, "javascript", "freshN")
    (shop / "fresh.js").write_text("export function freshName() {}\n", "utf-8")
    server.notify("workspace/didChangeWatchedFiles", changes=[{"uri": (shop / "fresh.js").as_uri(), "type": 1}])
    wait_for_name(server, uri, 6, "freshName")
    server.open((shop / "draft.js").as_uri(), "javascript", "export function freshNotSaved() {}\n")
    wait_for_name(server, uri, 6, "freshNotSaved")
    assert server.leave() == 0


def wait_for_name(server: Process, uri: str, character: int, name: str) -> None:
    """Ask until the worker that reads the file is through; the number of questions bounds a failure."""
    for _ in range(5_000):
        if name in {item["label"] for item in server.menu(uri, 0, character)["items"]}:
            return
        time.sleep(0.01)  # the worker needs a core, too
    pytest.fail(f"{name} never came")


def test_a_model_that_does_not_exist(server: Process, shop: Path) -> None:
    server.start(shop, initializationOptions={"model": str(shop / "no-model")})
    uri = (shop / "cart.js").as_uri()
    server.open(uri, "javascript", SHOP["cart.js"])
    assert server.inline(uri, 1, 2) == []
    (message,) = server.heard("window/showMessage")
    assert "no-model" in message["message"]
    assert server.menu(uri, 1, 4)["items"], "names need no model"
    assert server.leave() == 0


def test_a_server_that_hears_nonsense_goes_on(server: Process) -> None:
    server.start()
    for noise in (
        b"Content-Length: 5\r\n\r\n{oops",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"Content-Length: many\r\n\r\n{}",
        b"hello\r\n\r\n",
        b"Content-Length: 2\r\n\r\n[]",
    ):
        server.write(noise)
    server.open("untitled:a", "python", "value = 1\nval")
    assert server.menu("untitled:a", 1, 3)["items"]
    codes = [one["error"]["code"] for one in server.sent if one.get("id", 0) is None]
    assert codes == [-32700, -32700, -32700, -32600]
    assert server.leave() == 0


def test_a_client_that_vanishes(server: Process) -> None:
    server.start()
    server.open("untitled:a", "python", "x = ")
    server.send_inline("untitled:a", 0, 4)
    server.stdin.close()
    assert server.wait() == 1


def test_leaving_while_the_model_is_loading(server: Process) -> None:
    server.start()
    server.open("untitled:a", "python", "x = ")
    server.send_inline("untitled:a", 0, 4)
    assert server.leave() == 0


def test_tcp_on_this_machine_only() -> None:
    command = [sys.executable, "-m", "lsp_server", "lsp", "--tcp"]
    refused = subprocess.run([*command, "0.0.0.0:0"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "127.0.0.1" in refused.stderr
    with subprocess.Popen([*command, "127.0.0.1:0"], cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        port = int(process.stderr.readline().rpartition(":")[2])
        with (
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection,
            connection.makefile("rwb") as stream,
        ):
            for message in (
                {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
                {"id": 2, "method": "shutdown"},
                {"method": "exit"},
            ):
                body = json.dumps({"jsonrpc": "2.0", **message}).encode()
                stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            stream.flush()
            heard = stream.read()
        assert heard.count(b'"id": 1') == heard.count(b'"id": 2') == 1
        assert process.wait() == 0


def test_a_connection_that_is_reset_ends_the_server() -> None:
    """As the system does it where an editor dies with an answer unread."""
    command = [sys.executable, "-m", "lsp_server", "lsp", "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        port = int(process.stderr.readline().rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
            connection.sendall(b"Content-Length: 2\r\n\r\n{}")
            assert connection.recv(1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        said = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 1
    assert "the client is gone" in said
    assert "Traceback" not in said
