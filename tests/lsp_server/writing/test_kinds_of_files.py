"""What a write keeps of a file, and which files it leaves alone, by kinds of files."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsp_server.cli import main
from lsp_server.errors import RequestError
from lsp_server.writing.interrupts import WaitingSignals
from lsp_server.writing.sets import write_set
from lsp_server.writing.system_calls import CAN_EXCHANGE
from tests.lsp_server.writing.writer import DONE, FAILED, Child, writing

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = b"def area(r):\n    return r\n"
OTHER = b"from shop import area\n\narea(1)\n"
needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to be root")
ROOT = Path(__file__).parents[3]
needs_linux = pytest.mark.skipif(not CAN_EXCHANGE, reason="needs Linux")


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSCOPE_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def text_of(data: bytes) -> str:
    return data.decode("utf-8-sig")


def write(root: Path, *files: Path, follow: bool = False) -> None:
    """Rename `area` to `zone` in files."""
    changes = [(path, text_of(data := path.read_bytes()), text_of(data).replace("area", "zone")) for path in files]
    with WaitingSignals() as signals:
        write_set(changes, root, signals, follow=follow)


TEXTS = {
    "line feeds": CODE,
    "carriage returns and line feeds": CODE.replace(b"\n", b"\r\n"),
    "carriage returns": CODE.replace(b"\n", b"\r"),
    "mixed ends": b"area = 1\r\nb = area\nc = area\r",
    "no end": CODE.rstrip(),
    "a byte order mark": b"\xef\xbb\xbf" + CODE,
    "a mark and carriage returns": b"\xef\xbb\xbf" + CODE.replace(b"\n", b"\r\n"),
    "two marks": b"\xef\xbb\xbf\xef\xbb\xbf" + CODE,
    "emoji and a line separator": "area = '\U0001f44d \u2028 \x0c \x85'\n".encode(),
    "a null character": b"area = '\0'\n",
    "nothing else": b"area",
    "half a megabyte": CODE * 20_000,
}


@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
def test_all_other_bytes_stay(root: Path, data: bytes) -> None:
    file = root / "shop.py"
    file.write_bytes(data)
    write(root, file)
    assert file.read_bytes() == data.replace(b"area", b"zone")
    assert [path.name for path in root.iterdir()] == ["shop.py"]


@pytest.mark.parametrize("before", [b"", CODE], ids=["filled", "emptied"])
def test_an_empty_file(root: Path, before: bytes) -> None:
    file = root / "shop.py"
    file.write_bytes(before)
    with WaitingSignals() as signals:
        write_set([(file, before.decode(), "" if before else "x = 1\n")], root, signals)
    assert file.read_bytes() == (b"" if before else b"x = 1\n")


ENCODINGS = {"latin-1": "area = 'ä'\n", "utf-16": "area = 1\n", "utf-32": "area = 1\n", "cp1252": "area = '€'\n"}


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_other_encodings_are_left_alone(root: Path, encoding: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = root / "shop.py"
    data = ENCODINGS[encoding].encode(encoding)
    file.write_bytes(data)
    assert main(["rewrite", str(file), "--rename", "area=zone", "--write"]) == FAILED
    assert capsys.readouterr().err.count("\n") == 1
    assert file.read_bytes() == data


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o666, 0o755, 0o700, 0o200, 0o4755, 0o2755, 0o1644])
def test_the_mode_stays(root: Path, mode: int) -> None:
    file = root / "shop.py"
    file.write_bytes(CODE)
    file.chmod(mode)
    with WaitingSignals() as signals:
        if mode & 0o400 or os.geteuid() == 0:
            write_set([(file, CODE.decode(), "x = 1\n")], root, signals)
            assert file.read_bytes() == b"x = 1\n"
    assert stat.S_IMODE(file.stat().st_mode) == mode


@needs_root
@pytest.mark.parametrize(("owner", "group"), [(1234, 0), (0, 1234), (65534, 65534), (1234, 4321)])
def test_owner_and_group_stay(root: Path, owner: int, group: int) -> None:
    file = root / "shop.py"
    file.write_bytes(CODE)
    os.chown(file, owner, group)
    file.chmod(0o6750)
    write(root, file)
    status = file.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (owner, group, 0o6750)
    assert b"zone" in file.read_bytes()


def acl(*entries: tuple[int, int, int]) -> bytes:
    """A POSIX ACL as its attribute holds it: (tag, permissions, who)."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *one) for one in entries)


NOBODY = 0xFFFFFFFF
READABLE_BY_ANN = acl((1, 6, NOBODY), (2, 4, 1234), (4, 4, NOBODY), (16, 4, NOBODY), (32, 0, NOBODY))
WRITABLE_BY_ANN = acl((1, 6, NOBODY), (2, 6, 1234), (4, 4, NOBODY), (16, 6, NOBODY), (32, 4, NOBODY))
ATTRIBUTES = {
    "one": {"user.origin": b"https://example.org"},
    "several": {"user.a": b"1", "user.b": b"\0\xff", "user.c": b""},
    "a large one": {"user.large": b"x" * 2000},
    "an ACL": {"system.posix_acl_access": READABLE_BY_ANN},
    "an ACL that allows more": {"system.posix_acl_access": WRITABLE_BY_ANN, "user.a": b"1"},
}


@needs_linux
@pytest.mark.parametrize("attributes", ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_extended_attributes_stay(root: Path, attributes: dict[str, bytes]) -> None:
    file = root / "shop.py"
    file.write_bytes(CODE)
    set_attributes(file, attributes)
    mode = file.stat().st_mode
    write(root, file)
    assert {name: os.getxattr(file, name) for name in os.listxattr(file)} == attributes
    assert file.stat().st_mode == mode
    assert b"zone" in file.read_bytes()


@needs_linux
def test_the_default_acl_of_a_folder_is_not_given_to_its_files(root: Path) -> None:
    file = root / "shop.py"
    file.write_bytes(CODE)
    file.chmod(0o640)
    set_attributes(root, {"system.posix_acl_default": WRITABLE_BY_ANN})
    write(root, file)
    assert (os.listxattr(file), stat.S_IMODE(file.stat().st_mode)) == ([], 0o640)


def set_attributes(path: Path, attributes: dict[str, bytes]) -> None:
    for name, value in attributes.items():
        try:
            os.setxattr(path, name, value)
        except OSError as error:
            if error.errno != errno.ENOTSUP:
                raise
            pytest.skip("no such attributes on this file system")


NAMES = ["a b.py", "ä.py", "-.py", "n" * 252 + ".py", "new\nline.py", ".hidden.py", os.fsdecode(b"\xff.py")]


@pytest.mark.skipif(os.name != "posix", reason="names of POSIX")
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_odd_names(root: Path, name: str) -> None:
    file, other = root / name, root / "other.py"
    file.write_bytes(CODE)
    other.write_bytes(OTHER)
    write(root, file, other)
    assert (file.read_bytes(), other.read_bytes()) == (CODE.replace(b"area", b"zone"), OTHER.replace(b"area", b"zone"))
    assert len([*root.iterdir()]) == 2


@dataclass(frozen=True)
class Linked:
    """How `shop.py` comes to be in the project, and what becomes of it."""

    make: Callable[[Path, Path], None]
    """Called with its path and that of a file elsewhere."""
    is_asked_about: bool
    is_link: bool = True


def link_to_sibling(file: Path, _elsewhere: Path) -> None:
    (file.parent / "real.py").write_bytes(CODE)
    file.symlink_to("real.py")


def link_to_below(file: Path, _elsewhere: Path) -> None:
    (file.parent / "src").mkdir()
    (file.parent / "src" / "real.py").write_bytes(CODE)
    (file.parent / "next").symlink_to("src/real.py")
    file.symlink_to("next")


def link_out(file: Path, elsewhere: Path) -> None:
    file.symlink_to(elsewhere)


def link_out_and_back(file: Path, elsewhere: Path) -> None:
    elsewhere.unlink()
    (file.parent / "real.py").write_bytes(CODE)
    elsewhere.symlink_to(file.parent / "real.py")
    file.symlink_to(elsewhere)


def link_of_links_out(file: Path, elsewhere: Path) -> None:
    (file.parent / "next").symlink_to(elsewhere)
    file.symlink_to("next")


def hard_link_out(file: Path, elsewhere: Path) -> None:
    os.link(elsewhere, file)


def hard_link_inside(file: Path, _elsewhere: Path) -> None:
    file.write_bytes(CODE)
    os.link(file, file.parent / "twin.py")


LINKS = {
    "to a file beside it": Linked(link_to_sibling, is_asked_about=False),
    "to a link to a file below": Linked(link_to_below, is_asked_about=False),
    "out and back": Linked(link_out_and_back, is_asked_about=False),
    "out": Linked(link_out, is_asked_about=True),
    "out by another link": Linked(link_of_links_out, is_asked_about=True),
    "hard, to elsewhere": Linked(hard_link_out, is_asked_about=True, is_link=False),
    "hard, within": Linked(hard_link_inside, is_asked_about=True, is_link=False),
}


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
@pytest.mark.parametrize("case", LINKS.values(), ids=LINKS)
def test_links_stay_and_what_a_person_may_not_think_of_is_asked_about(root: Path, case: Linked) -> None:
    file, elsewhere = root / "shop.py", root.parent / "elsewhere.py"
    elsewhere.write_bytes(CODE)
    case.make(file, elsewhere)
    before = file.lstat()
    if case.is_asked_about:
        with pytest.raises(RequestError, match=r"--follow changes .*; nothing was written$"):
            write(root, file)
        assert file.read_bytes() == CODE
    write(root, file, follow=case.is_asked_about)
    after = file.lstat()
    assert b"zone" in file.read_bytes()
    assert (before.st_ino, before.st_nlink) == (after.st_ino, after.st_nlink)
    assert file.is_symlink() == case.is_link


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
@pytest.mark.parametrize("leads_out", [True, False])
def test_a_folder_that_is_a_link(root: Path, leads_out: bool) -> None:
    real = (root.parent if leads_out else root) / "real"
    real.mkdir()
    (real / "shop.py").write_bytes(CODE)
    (root / "sub").symlink_to(real)
    if leads_out:
        with pytest.raises(RequestError, match="leads out of the workspace"):
            write(root, root / "sub" / "shop.py")
    write(root, root / "sub" / "shop.py", follow=leads_out)
    assert b"zone" in (real / "shop.py").read_bytes()
    assert (root / "sub").is_symlink()


def test_a_file_elsewhere_that_is_no_link_is_not_asked_about(root: Path) -> None:
    elsewhere = root.parent / "elsewhere.py"
    elsewhere.write_bytes(CODE)
    write(root, elsewhere)
    assert b"zone" in elsewhere.read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_file_that_is_named_twice_is_written_once(root: Path) -> None:
    file, link = root / "shop.py", root / "link.py"
    file.write_bytes(CODE)
    link.symlink_to(file)
    write(root, file, link)
    assert file.read_bytes() == CODE.replace(b"area", b"zone")
    text = file.read_text()
    with WaitingSignals() as signals, pytest.raises(RequestError, match="another name of a file that changes"):
        write_set([(file, text, "one\n"), (link, text, "other\n")], root, signals)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
@pytest.mark.parametrize("follow", [True, False])
def test_the_command_asks_about_a_link_out_of_the_project(
    root: Path, capsys: pytest.CaptureFixture[str], follow: bool
) -> None:
    elsewhere = root.parent / "elsewhere" / "shop.py"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(CODE)
    (root / "pyproject.toml").touch()
    (root / "shop.py").symlink_to(elsewhere)
    arguments = ["rewrite", str(root / "shop.py"), "--rename", "area=zone", "--write", "--all"]  # nothing uses it
    assert main([*arguments, *(["--follow"] if follow else [])]) == (DONE if follow else FAILED)
    assert (b"zone" in elsewhere.read_bytes()) == follow
    assert ("--follow changes that file; nothing was written" in capsys.readouterr().err) == (not follow)


def become_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def become_loop(file: Path) -> None:
    file.unlink()
    file.symlink_to(file)


def lead_nowhere(file: Path) -> None:
    file.unlink()
    file.symlink_to("nothing")


REFUSED: dict[str, Callable[[Path], object]] = {
    "write-protected": lambda file: file.chmod(0o444),
    "gone": Path.unlink,
    "a folder now": become_folder,
    "a loop of links": become_loop,
    "a dangling link": lead_nowhere,
    "changed": lambda file: file.write_bytes(OTHER),
    "longer": lambda file: file.write_bytes(CODE + b"\n"),
}


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
@pytest.mark.parametrize("spoil", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_written_leaves_all_as_it_was(root: Path, spoil: Callable[[Path], object]) -> None:
    file, other = root / "shop.py", root / "other.py"
    file.write_bytes(CODE)
    other.write_bytes(OTHER)
    spoil(file)
    changes = [(other, OTHER.decode(), "x"), (file, CODE.decode(), "y")]
    with WaitingSignals() as signals, pytest.raises(RequestError, match=r"^[^\n]*shop.py[^\n]*nothing was written$"):
        write_set(changes, root, signals)
    assert other.read_bytes() == OTHER
    assert {path.name for path in root.iterdir()} <= {"shop.py", "other.py"}


@pytest.mark.parametrize("place", ["", "{file}/cache", "{folder}"], ids=["empty", "below a file", "read-only"])
@pytest.mark.parametrize("count", [1, 2])
def test_without_a_place_for_the_journal_only_one_file_is_written(
    root: Path, monkeypatch: pytest.MonkeyPatch, place: str, count: int
) -> None:
    blocker, folder = root.parent / "blocker", root.parent / "folder"
    blocker.touch()
    folder.mkdir()
    (folder / "writes").touch()  # also root cannot make a folder there
    monkeypatch.setenv("INSCOPE_CACHE", place.format(file=blocker, folder=folder))
    files = [root / f"{number}.py" for number in range(count)]
    for file in files:
        file.write_bytes(CODE)
    if count == 1:
        write(root, *files)
    else:
        with pytest.raises(RequestError, match=r"no place for one \([^\n]*\); let INSCOPE_CACHE name a folder"):
            write(root, *files)
    assert {file.read_bytes() for file in files} == {CODE.replace(b"area", b"zone") if count == 1 else CODE}


# What follows needs mounts or another user, so it happens in a child of its own with mounts of its own.

_NEW_MOUNTS = 0x00020000


def _mount(source: str, target: Path, kind: str, flags: int, options: str) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.mount(source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode()):
        raise OSError(ctypes.get_errno(), f"cannot mount {kind}")


def _own_mounts() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(_NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), "cannot have own mounts")
    _mount("none", Path("/"), "", 0x4000 | 0x40000, "")  # nothing of it is seen outside


def in_child(run: Callable[[], None]) -> tuple[int, str]:
    with Child(run, of_test=True) as child:
        ended = child.end()
    if "cannot mount" in ended.message or "cannot have own mounts" in ended.message:
        pytest.skip(ended.message)
    return ended.status, ended.message


@needs_linux
@needs_root
@pytest.mark.parametrize("sizes", [(100_000, 10), (10, 100_000), (30_000, 30_000)])
def test_a_full_disk(root: Path, sizes: tuple[int, int]) -> None:
    """A file system of 64 KiB, in which not all new texts have room beside the old ones."""

    def run() -> None:
        _own_mounts()
        _mount("tmpfs", root, "tmpfs", 0, "size=65536")
        files = [root / "a.py", root / "b.py"]
        for file in files:
            file.write_bytes(CODE)
        changes = [(file, CODE.decode(), "x" * size) for file, size in zip(files, sizes, strict=True)]
        try:
            writing(root, changes)()
        finally:
            assert [path.read_bytes() for path in files] == [CODE, CODE]
            assert len([*root.iterdir()]) == len(files)

    status, message = in_child(run)
    assert status == FAILED
    assert "No space left on device; nothing was written" in message


@needs_linux
@needs_root
@pytest.mark.parametrize("room", [0, 4096, 16384])
def test_a_full_disk_while_a_file_of_two_names_is_overwritten(root: Path, room: int) -> None:
    def run() -> None:
        _own_mounts()
        _mount("tmpfs", root, "tmpfs", 0, f"size={16384 + room}")
        file = root / "a.py"
        file.write_bytes(CODE)
        os.link(file, root / "b.py")
        (root / "filler").write_bytes(b"x" * 12288)
        try:
            writing(root, [(file, CODE.decode(), "x" * 40_000)], follow=True)()
        finally:
            assert file.read_bytes() == CODE

    status, message = in_child(run)
    assert status == FAILED
    assert "No space left on device; nothing was written" in message


@needs_linux
@needs_root
def test_a_full_disk_below_the_journal(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = root.parent / "small"
    cache.mkdir()
    monkeypatch.setenv("INSCOPE_CACHE", str(cache))

    def run() -> None:
        _own_mounts()
        _mount("tmpfs", cache, "tmpfs", 0, "size=8192")
        file = root / "a.py"
        file.write_bytes(CODE)
        try:
            writing(root, [(file, CODE.decode(), "x" * 100_000)])()
        finally:
            assert file.read_bytes() == CODE
            assert len([*root.iterdir()]) == 1

    status, message = in_child(run)
    assert (status, "the journal" in message, "No space left" in message) == (FAILED, True, True)


@needs_linux
@needs_root
def test_a_file_system_that_is_read_only(root: Path) -> None:
    (root / "a.py").write_bytes(CODE)

    def run() -> None:
        _own_mounts()
        _mount(str(root), root, "", 0x1000, "")
        _mount("none", root, "", 0x1000 | 0x20 | 0x1, "")
        writing(root, [(root / "a.py", CODE.decode(), "x")])()

    status, message = in_child(run)
    assert (status, "nothing was written" in message) == (FAILED, True)
    assert (root / "a.py").read_bytes() == CODE


@needs_linux
@needs_root
def test_a_mounted_file_is_overwritten(root: Path) -> None:
    """As in a container: it cannot be swapped."""
    file, source = root / "a.py", root.parent / "source.py"
    file.write_bytes(b"")
    source.write_bytes(CODE)

    def run() -> None:
        _own_mounts()
        _mount(str(source), file, "", 0x1000, "")
        writing(root, [(file, CODE.decode(), "x = 1\n")])()
        assert file.read_bytes() == b"x = 1\n"

    assert in_child(run) == (DONE, "")
    assert source.read_bytes() == b"x = 1\n"
    assert [path.name for path in root.iterdir()] == ["a.py"]


def as_somebody(root: Path, run: Callable[[], None]) -> tuple[int, str]:
    """Run as a user who owns neither the project nor, at first, a cache."""
    cache = Path(os.environ["INSCOPE_CACHE"])
    for path in (cache, root):
        for folder in (path, *path.parents):
            if folder.stat().st_uid == os.geteuid() and not folder.samefile(folder.anchor):
                folder.chmod(folder.stat().st_mode | 0o055)
    os.chown(cache, 1234, 1234)

    def act() -> None:
        os.setgroups([])
        os.setgid(1234)
        os.setuid(1234)
        run()

    return in_child(act)


OWNED = {
    "a folder that is read-only": (0, 0o755, 1234, 0o644, False, "Permission denied"),
    "a file that is somebody else's": (1234, 0o755, 0, 0o644, False, "is not yours to write"),
    "a file that all may write": (1234, 0o755, 0, 0o666, True, ""),
    "a file of the group": (1234, 0o755, 4321, 0o646, True, ""),
}


@needs_linux
@needs_root
@pytest.mark.parametrize("case", OWNED.values(), ids=OWNED)
def test_another_user(root: Path, case: tuple[int, int, int, int, bool, str]) -> None:
    """Where the new file could not have the owner of the old one, that one is overwritten."""
    folder_owner, folder_mode, owner, mode, is_written, said = case
    file = root / "a.py"
    file.write_bytes(CODE)
    file.chmod(mode)
    os.chown(file, owner, owner)
    os.chown(root, folder_owner, folder_owner)
    root.chmod(folder_mode)
    status, message = as_somebody(root, writing(root, [(file, CODE.decode(), "x = 1\n")]))
    assert (status, said in message) == (DONE if is_written else FAILED, True), message
    assert file.read_bytes() == (b"x = 1\n" if is_written else CODE)
    assert (file.stat().st_uid, stat.S_IMODE(file.stat().st_mode)) == (owner, mode)
    assert [path.name for path in root.iterdir()] == ["a.py"]


@needs_linux
@pytest.mark.parametrize("flags", ["d", "A", "S", "dA"])
def test_flags_stay(root: Path, flags: str) -> None:
    change, show = shutil.which("chattr"), shutil.which("lsattr")
    if change is None or show is None:
        pytest.skip("no chattr here")
    file = root / "a.py"
    file.write_bytes(CODE)
    if subprocess.run([change, f"+{flags}", str(file)], check=False).returncode:
        pytest.skip("no such flags on this file system")
    before = subprocess.run([show, str(file)], check=True, capture_output=True).stdout
    node = file.stat().st_ino
    write(root, file)
    assert subprocess.run([show, str(file)], check=True, capture_output=True).stdout == before
    assert file.stat().st_ino != node


@needs_linux
@needs_root
def test_a_file_that_may_not_be_changed_at_all(root: Path) -> None:
    change = shutil.which("chattr")
    if change is None:
        pytest.skip("no chattr here")
    files = [root / "a.py", root / "b.py"]
    for file in files:
        file.write_bytes(CODE)
    if subprocess.run([change, "+i", str(files[1])], check=False).returncode:
        pytest.skip("no such attribute on this file system")
    try:
        with pytest.raises(RequestError, match="nothing was written"):
            write(root, *files)
    finally:
        subprocess.run([change, "-i", str(files[1])], check=True)
    assert {file.read_bytes() for file in files} == {CODE}
    assert len([*root.iterdir()]) == len(files)


@pytest.fixture(autouse=True)
def _only_here() -> Iterator[None]:
    """Mounts of a child end with it."""
    mounts = Path("/proc/mounts")
    before = mounts.read_text("utf-8") if mounts.exists() else ""
    yield
    assert (mounts.read_text("utf-8") if mounts.exists() else "") == before


DISTURBED = """
import fcntl, os, sys
from contextlib import suppress
from pathlib import Path
from lsp_server.writing import system_calls

class Disturbed:
    def __getattr__(self, name):
        return getattr(fcntl, name)

    def fcntl(self, descriptor, command, argument):
        fcntl.fcntl(descriptor, command, argument)
        if (command, argument) == (fcntl.F_SETLEASE, fcntl.F_RDLCK):
            with suppress(BlockingIOError):
                os.close(os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK))

system_calls.fcntl = Disturbed()
system_calls.has_other_writers(os.open(sys.argv[1], os.O_RDONLY), Path(sys.argv[1]).parent)
"""


@needs_linux
def test_who_opens_a_file_while_it_is_examined_does_not_end_us(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    done = subprocess.run([sys.executable, "-c", DISTURBED, str(tmp_path / "a")], check=False, cwd=ROOT)
    assert done.returncode == 0
