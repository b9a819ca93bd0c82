"""Files and texts that come in from outside: each fault has its code and its sentence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from context_index import Language
from lsp_server.cli import main
from lsp_server.engine.wire.file_place import FilePlace
from lsp_server.engine.wire.sources import MAX_BYTES, syntax_at
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from pathlib import Path

GOOD = [
    ("plain.py", b"x = 1\n", (1, 3), 2),
    ("after_last.py", b"x = 1\n", (2, 1), 6),
    ("empty.js", b"", (1, 1), 0),
    ("windows.js", b"a;\r\nb;\r\n", (2, 2), 5),
    ("old_mac.js", b"a;\rb;\r", (2, 2), 4),
    ("marked.py", b"\xef\xbb\xbfx = 1\n", (1, 2), 1),
    ("wide.py", "s = '𝒳é'; y\n".encode(), (1, 11), 10),
    ("end_of_line.tsx", b"let a\nlet b", (1, 6), 5),
]


@pytest.mark.parametrize(("name", "data", "at", "offset"), GOOD)
def test_good(tmp_path: Path, name: str, data: bytes, at: tuple[int, int], offset: int) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    syntax, found = syntax_at(FilePlace(str(file), *at))
    assert found == offset
    assert syntax.document.text.encode() == data.removeprefix(b"\xef\xbb\xbf")
    assert syntax.document.uri == file.as_uri()


BAD = [
    ("missing.py", None, (1, 1), ErrorCode.FILE_NOT_FOUND, "there is no file"),
    ("latin.py", b"x = '\xe9'\n", (1, 1), ErrorCode.NOT_UTF8, "(line 1)"),
    ("utf16.py", "x = 1\n".encode("utf-16"), (1, 1), ErrorCode.NOT_UTF8, "is not UTF-8"),
    ("cut.py", b"ok = 1\ns = '\xe2\x82", (1, 1), ErrorCode.NOT_UTF8, "(line 2)"),
    ("marked.py", b"\xef\xbb\xbfx\n\xe9", (1, 1), ErrorCode.NOT_UTF8, "(line 2)"),
    ("binary.js", b"\x7fELF\0\0\0", (1, 1), ErrorCode.BINARY, "binary"),
    ("large.js", b"// x\n" * (MAX_BYTES // 5 + 1), (1, 1), ErrorCode.TOO_LARGE, "5 MB"),
    ("ten_megabytes.py", b"#" * 10_000_000, (1, 1), ErrorCode.TOO_LARGE, "5 MB"),
    ("cart.rb", b"x = 1\n", (1, 1), ErrorCode.UNKNOWN_LANGUAGE, "'.*cart.rb'.*TypeScript"),
    ("Makefile", b"run:\n", (1, 1), ErrorCode.UNKNOWN_LANGUAGE, "Python"),
    ("short.py", b"x = 1\n", (3, 1), ErrorCode.POSITION_OUTSIDE, "no line 3; it has lines 1 to 2"),
    ("short.py", b"x = 1\n", (1, 7), ErrorCode.POSITION_OUTSIDE, "no column 7 in line 1; it has columns 1 to 6"),
    ("short.py", b"x = 1\n", (0, 1), ErrorCode.POSITION_OUTSIDE, "no line 0"),
    ("short.py", b"x = 1\n", (1, 0), ErrorCode.POSITION_OUTSIDE, "no column 0"),
    ("short.py", b"x = 1\n", (10**30, 1), ErrorCode.POSITION_OUTSIDE, "no line 1000"),
    ("between.py", b"x\r\n", (1, 3), ErrorCode.POSITION_OUTSIDE, "no column 3"),
]


@pytest.mark.parametrize(("name", "data", "at", "code", "said"), BAD)
def test_bad(  # noqa: PLR0917 - one row of the table above
    tmp_path: Path, name: str, data: bytes | None, at: tuple[int, int], code: ErrorCode, said: str
) -> None:
    file = tmp_path / name
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(RequestError, match=said) as caught:
        syntax_at(FilePlace(str(file), *at))
    assert caught.value.code is code
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("language", [one for one in Language if one.record.extra])
def test_a_parser_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: Language) -> None:
    record = language.record
    monkeypatch.setattr("lsp_server.engine.wire.sources.language_of", lambda _path: None)
    file = tmp_path / f"a{record.suffixes[-1].upper()}"
    file.write_text("")
    with pytest.raises(RequestError) as caught:
        syntax_at(FilePlace(str(file), 1, 1))
    advice = f"Install the extra '{record.extra}': "
    assert caught.value.message.startswith(f"the parser of {record.title} is not installed. {advice}")
    assert caught.value.code is ErrorCode.UNKNOWN_LANGUAGE


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="is a directory") as caught:
        syntax_at(FilePlace(str(tmp_path), 1, 1))
    assert caught.value.code is ErrorCode.IS_DIRECTORY


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes")
def test_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(RequestError, match="a device or a pipe"):
        syntax_at(FilePlace(str(tmp_path / "pipe.py"), 1, 1))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this platform has no links")
@pytest.mark.parametrize(
    ("target", "said"), [("away.py", "a link to a file that does not exist"), ("link.py", "Too many levels")]
)
def test_links_to_nothing_and_to_themselves(tmp_path: Path, target: str, said: str) -> None:
    (tmp_path / "link.py").symlink_to(target)
    with pytest.raises(RequestError, match=said) as caught:
        syntax_at(FilePlace(str(tmp_path / "link.py"), 1, 1))
    assert caught.value.code is ErrorCode.FILE_NOT_FOUND


def test_text_stands_for_the_file(tmp_path: Path) -> None:
    file = tmp_path / "cart.ts"
    file.write_bytes(b"\0")
    syntax, offset = syntax_at(FilePlace(str(file), 2, 1), "let a = 1;\nlet b")
    assert (syntax.language, offset) == (Language.TYPESCRIPT, 11)


def test_text_needs_no_file() -> None:
    syntax, _ = syntax_at(FilePlace("nowhere/cart.py", 1, 1), "")
    assert not syntax.document.text


TEXTS = [
    ("cart.py", "x = '\ud800'", ErrorCode.NOT_UTF8),
    ("cart.py", "#" * (MAX_BYTES + 1), ErrorCode.TOO_LARGE),
    ("cart.rb", "x", ErrorCode.UNKNOWN_LANGUAGE),
]


@pytest.mark.parametrize(("name", "text", "code"), TEXTS)
def test_bad_text(name: str, text: str, code: ErrorCode) -> None:
    with pytest.raises(RequestError) as caught:
        syntax_at(FilePlace(name, 1, 1), text)
    assert caught.value.code is code


NOTEBOOK_COMMANDS = {
    "complete": ["complete", "{file}:1:1"],
    "verify": ["verify", "{file}:1:1", "--text", "x"],
    "symbols": ["symbols", "{file}:1:1"],
    "rewrite": ["rewrite", "{file}", "--instruction", "use f-strings", "--write", "--force"],
    "rename": ["rewrite", "{file}", "--rename", "a=b", "--write"],
}


@pytest.mark.parametrize("command", NOTEBOOK_COMMANDS.values(), ids=NOTEBOOK_COMMANDS)
def test_a_notebook_is_left_alone_and_the_form_of_its_code_is_named(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "n.ipynb"
    file.write_text('{"cells": [{"cell_type": "code", "source": ["a = 1"]}]}', "utf-8")
    before = file.read_bytes()
    assert main([part.format(file=file) for part in command]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "is a notebook" in error
    assert "n.py" in error
    assert file.read_bytes() == before
