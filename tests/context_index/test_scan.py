"""What is read and what is left alone. The pattern language is compared with git itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context_index.scan import Exclusion, FoundFile, ScanSettings, SkippedPath, WorkspaceScanner, changes, read_text
from context_index.scan.patterns import Patterns
from context_index.symbols import Language
from tests.files import lay_out

GIT = shutil.which("git")


def walked(root: Path, scan: ScanSettings | None = None) -> tuple[list[str], dict[str, str]]:
    """The files that a walk yields, and what it leaves alone, both below the root."""
    read, left = [], {}
    for found in WorkspaceScanner([root], scan or ScanSettings()).walk():
        if isinstance(found, SkippedPath):
            left[found.path.relative_to(root).as_posix()] = str(found.why)
        else:
            read.append(Path(found.path).relative_to(root).as_posix())
    return read, left


NAMES = """
src/app.py                          => read
app.d.ts                            => read
credentials.py                      => read
environment.ts                      => read
keys.js                             => read
.env                                => secret
.env.local                          => secret
sub/.env.production.js              => secret
.envrc                              => secret
prod.env                            => secret
id_rsa                              => secret
id_ed25519.pub                      => secret
tls/server.pem                      => secret
server.KEY                          => secret
store.p12                           => secret
credentials.json                    => secret
credentials                         => secret
secrets.yaml                        => secret
.npmrc                              => secret
.aws/config                         => secret
.ssh/known.py                       => secret
service-account-prod.json           => secret
vendor.min.js                       => generated
package-lock.json                   => generated
yarn.lock                           => generated
api_pb2.py                          => generated
README.md                           => unknown_language
node_modules/x/index.js             => vendored
lib/site-packages/x/a.py            => vendored
a/__pycache__/b.py                  => vendored
x.egg-info/a.py                     => vendored
"""


@pytest.mark.parametrize("case", NAMES.strip().splitlines())
def test_names(case: str, tmp_path: Path) -> None:
    name, expected = (part.strip() for part in case.split("=>"))
    assert str(WorkspaceScanner([tmp_path], ScanSettings()).excluded(tmp_path / name) or "read") == expected


SETTINGS = [
    ("src/a.py", ScanSettings(exclude=("src/",)), "setting"),
    ("src/a.py", ScanSettings(exclude=("*.js",)), "read"),
    ("src/a.py", ScanSettings(include=("src/**",)), "read"),
    ("src/a.py", ScanSettings(include=("src",)), "read"),
    ("lib/a.py", ScanSettings(include=("src/**", "*.js")), "setting"),
    ("src/gen/a.py", ScanSettings(include=("src/**",), exclude=("gen",)), "setting"),
    ("a.py", ScanSettings(languages=frozenset({Language.TYPESCRIPT})), "language_off"),
    (".env.js", ScanSettings(secrets=True), "read"),
    (".env", ScanSettings(secrets=True), "unknown_language"),
]


@pytest.mark.parametrize(("name", "scan", "expected"), SETTINGS)
def test_settings(name: str, scan: ScanSettings, expected: str, tmp_path: Path) -> None:
    assert str(WorkspaceScanner([tmp_path], scan).excluded(tmp_path / name) or "read") == expected
    lay_out(tmp_path, {name: ""})
    read, left = walked(tmp_path, scan)
    assert left.get(name, "read") == expected
    assert (read == [name]) == (expected == "read")


def test_only_secrets_and_switches_withhold_a_completion() -> None:
    assert {why for why in Exclusion if why.withholds} == {
        Exclusion.SECRET,
        Exclusion.SETTING,
        Exclusion.LANGUAGE_OFF,
    }


def test_a_walk_tells_each_file_or_left_directory_once(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            ".git/info/exclude": "scratch.py\n",
            ".gitignore": "dist/\n*.log.py\n",
            "a.py": "",
            "scratch.py": "",
            "b.log.py": "",
            "dist/out.js": "",
            "pkg/.gitignore": "!b.log.py\n/own.py\n",
            "pkg/b.log.py": "",
            "pkg/own.py": "",
            "pkg/sub/own.py": "",
            "env/pyvenv.cfg": "",
            "env/lib/x.py": "",
            "node_modules/x/index.js": "",
        },
    )
    read, left = walked(tmp_path)
    assert read == ["a.py", "pkg/b.log.py", "pkg/sub/own.py"]
    assert left == {
        ".git": "vendored",
        ".gitignore": "unknown_language",
        "b.log.py": "ignored",
        "dist": "ignored",
        "env": "vendored",
        "node_modules": "vendored",
        "pkg/.gitignore": "unknown_language",
        "pkg/own.py": "ignored",
        "scratch.py": "ignored",
    }


def test_rules_above_a_root_inside_a_repository_hold(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {".git/HEAD": "", ".gitignore": "web/out\nbuild\n", "web/out/a.js": "", "web/b/build/a.js": ""},
    )
    scanner = WorkspaceScanner([tmp_path / "web"], ScanSettings())
    assert scanner.excluded(tmp_path / "web/out/a.js") is Exclusion.IGNORED
    assert scanner.excluded(tmp_path / "web/b/build/a.js") is Exclusion.IGNORED
    assert scanner.excluded(tmp_path / "web/b/a.js") is None


def test_a_root_that_is_ignored_as_a_whole_was_opened_on_purpose(tmp_path: Path) -> None:
    lay_out(tmp_path, {".git/HEAD": "", ".gitignore": "out\n*.tmp.js\n", "out/a.js": "", "out/b.tmp.js": ""})
    read, _ = walked(tmp_path / "out")
    assert read == ["a.js", "b.tmp.js"]


def test_a_worktree_has_the_excludes_of_its_repository(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            "main/.git/info/exclude": "mine.py\n",
            "main/.git/worktrees/w/commondir": "../..\n",
            "w/.git": "gitdir: ../main/.git/worktrees/w\n",
        },
    )
    assert WorkspaceScanner([tmp_path / "w"], ScanSettings()).excluded(tmp_path / "w/mine.py") is Exclusion.IGNORED


def test_changed_ignore_rules_are_read_when_they_are_announced(tmp_path: Path) -> None:
    scanner = WorkspaceScanner([tmp_path], ScanSettings())
    assert scanner.excluded(tmp_path / "a.py") is None
    lay_out(tmp_path, {".gitignore": "a.py\n"})
    assert scanner.excluded(tmp_path / "a.py") is None
    scanner.forget_ignore_rules()
    assert scanner.excluded(tmp_path / "a.py") is Exclusion.IGNORED


def test_a_root_that_a_later_rule_ignores_as_a_whole_stays_open(tmp_path: Path) -> None:
    lay_out(tmp_path, {".git/HEAD": "", "out/a.js": ""})
    scanner = WorkspaceScanner([tmp_path / "out"], ScanSettings())
    lay_out(tmp_path, {".gitignore": "out\n"})
    scanner.forget_ignore_rules()
    assert scanner.excluded(tmp_path / "out/a.js") is None


def test_a_byte_that_is_no_utf8_costs_its_own_line_only(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"# f\xfcr alle\r\nbuild\r\n")
    scanner = WorkspaceScanner([tmp_path], ScanSettings())
    assert scanner.excluded(tmp_path / "build/a.js") is Exclusion.IGNORED


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
def test_links_are_not_followed(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a/x.py": "", ".env": "KEY=1"})
    (tmp_path / "a/loop").symlink_to(tmp_path)
    (tmp_path / "y.py").symlink_to(tmp_path / "a/x.py")
    (tmp_path / "env.py").symlink_to(tmp_path / ".env")
    read, left = walked(tmp_path)
    assert read == ["a/x.py"]
    assert left == {".env": "secret", "a/loop": "link", "y.py": "link", "env.py": "link"}
    assert WorkspaceScanner([tmp_path], ScanSettings()).excluded(tmp_path / "env.py") is Exclusion.SECRET


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
def test_a_file_that_cannot_be_looked_at_is_judged_by_its_name(tmp_path: Path) -> None:
    scanner = WorkspaceScanner([tmp_path], ScanSettings())
    (tmp_path / "round.py").symlink_to(tmp_path / "round.py")
    assert scanner.excluded(tmp_path / "round.py") is None
    assert scanner.excluded(tmp_path / f"{'x' * 5_000}.py") is None
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)  # which keeps out whoever is not root
    assert scanner.excluded(closed / "a.py") is None
    assert scanner.excluded(closed / ".env") is Exclusion.SECRET


def test_nested_roots_are_walked_once_and_each_keeps_its_own_names(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": "", "node_modules/x/b.py": "", "in/c.py": ""})
    scanner = WorkspaceScanner([tmp_path, tmp_path / "in", tmp_path / "node_modules/x"], ScanSettings())
    assert [Path(f.path).name for f in scanner.walk() if isinstance(f, FoundFile)] == ["a.py", "c.py", "b.py"]
    assert scanner.excluded(tmp_path / "node_modules/x/b.py") is None, "opened on purpose, so not vendored"


CONTENTS = [
    (b"a = 1\n", "a = 1\n"),
    ("\ufeffa = 'ä'".encode(), "a = 'ä'"),
    (b"a\0b", Exclusion.BINARY),
    (b"a = '\xff'", Exclusion.NOT_UTF8),
    (b"x" * 100, Exclusion.TOO_LARGE),
]


@pytest.mark.parametrize(("data", "expected"), CONTENTS)
def test_contents(data: bytes, expected: str | Exclusion, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(data)
    assert read_text(tmp_path / "a.py", 20) == expected


def test_minified_text_and_missing_files_have_nothing_for_us(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.js": "var a=1;" * 1_000, "b.js": "var a = 1;\n" * 1_000})
    found = [read_text(tmp_path / name, 1 << 20) for name in ("a.js", "b.js", "c.js")]
    assert found == [Exclusion.GENERATED, "var a = 1;\n" * 1_000, Exclusion.UNREADABLE]


ODD_PATTERNS = r"""
a  /a  a/  !a  a/b  **/a  a/**  a/**/b  **/a/**  *  */  **  a*  *.py  a?.py  [ab].py
[!a].py  [a-b]*  []a].py  [^b]*
\a  \!a  a\_  a_  a/*  !a/b  !a/b/  a**b  a/**b  /  //a  a//b  [  [a  [[:alpha:]].py  [z-a].py
#_a  \#a  !*.py  !*/  [[:punct:][:cntrl:]]a*  ///a  a\/b
**/  /**  a/./b  a\  [\]]*  ?  ??  [[:nope:]]  a_b  a\_b__  b/**  !b/*  !/a/**/  *.p[xy]
"""


def odd_patterns() -> list[str]:
    """The lines above, with `_` for a space."""
    return [pattern.replace("_", " ") for pattern in ODD_PATTERNS.split()]


@pytest.mark.parametrize(("line", "path"), [("*a" * 20 + "b", "a" * 60), ("**/a" * 20 + "/b", "/".join("a" * 60))])
def test_a_hostile_line_takes_no_longer_than_another(line: str, path: str) -> None:
    patterns = Patterns([line, "*.py"])
    assert patterns.ignores(path.split("/"), directory=False) is None
    assert patterns.ignores(f"{path}.py".split("/"), directory=False)


def test_a_name_that_is_no_text_is_matched_all_the_same() -> None:
    assert Patterns(["*.py"]).ignores(["caf\udce9.py"], directory=False)


PARTS = ["a", "b", "a.py", "ab.py", "b.py", "]a.py", "!a", "#a", "a b", "ab"]


@pytest.mark.slow
@pytest.mark.skipif(GIT is None, reason="compares with git")
@settings(max_examples=60, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_ignored_is_what_git_ignores(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("tree")
    assert GIT
    subprocess.run([GIT, "init", "-q", root], check=True)
    lines = st.lists(st.sampled_from(odd_patterns()), max_size=5).map("\n".join)
    paths = data.draw(st.lists(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4), min_size=3, max_size=12))
    for parts in paths:
        path = root.joinpath(*parts)
        if not any(p.is_file() for p in (path, *path.parents)) and not path.exists():
            lay_out(root, {"/".join(parts): ""})
    for directory in ["", *data.draw(st.lists(st.sampled_from(["a/", "b/", "a/b/", "ab/"]), max_size=2))]:
        if (root / directory).is_dir():
            lay_out(root, {directory + ".gitignore": data.draw(lines)})
    lay_out(root, {".git/info/exclude": data.draw(lines)})
    files = [p for p in root.rglob("*") if p.is_file() and ".git" not in p.relative_to(root).parts]
    listed = subprocess.run(
        [GIT, "-C", root, "ls-files", "-z", "--others", "--exclude-standard"], check=True, capture_output=True
    )
    expected = {name for name in listed.stdout.decode().split("\0") if name}
    ignore = WorkspaceScanner([root], ScanSettings())._ignores[root]
    ours = {p.relative_to(root).as_posix() for p in files if not ignore.ignores(p.relative_to(root).parts)}
    rules = {p.relative_to(root).as_posix(): p.read_text() for p in root.rglob(".gitignore")}
    assert ours == expected, (rules, (root / ".git/info/exclude").read_text())


@pytest.mark.slow
def test_of_a_root_in_anothers_vendored_folder_changes_are_seen(tmp_path: Path) -> None:
    own, vendored = tmp_path / "node_modules" / "lib", tmp_path / "node_modules" / "other"
    own.mkdir(parents=True)
    vendored.mkdir()
    stop = Event()

    def change() -> None:
        """Again and again: the watcher may not look yet."""
        for turn in count():
            for folder in (vendored, own, tmp_path):
                (folder / "a.js").write_text(str(turn))
            if stop.wait(0.2):
                return

    writer = Thread(target=change)
    writer.start()
    seen: set[Path] = set()
    for batch, changed in enumerate(changes([tmp_path, own], stop)):
        seen |= changed
        if {own / "a.js", tmp_path / "a.js"} <= seen or batch > 10:
            break
    stop.set()
    writer.join()
    assert {path.parent for path in seen} == {own, tmp_path}
