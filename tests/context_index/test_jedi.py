"""jedi where it is slow: large lists, and what is read before anybody asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from context_index.oracles import Limits, Oracle, Oracles
from context_index.oracles.errors import PutOffError
from context_index.oracles.jedi import Jedi
from context_index.symbols import Listed, NameKind, Position
from tests.context_index.checkers import PATIENCE, checker_for, document, jedi_worker

pytestmark = pytest.mark.slow
_LIMITS = Limits(start=PATIENCE, answer=PATIENCE)
IMPORTS = "import json, small\nimport many as more\nfrom json import dumps\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for name, count in (("small", 10), ("many", 100)):
        (root / name).mkdir()
        names = [f"f{n}" for n in range(count)]
        (root / name / "__init__.py").write_text(f"from .inner import {', '.join(names)}\nclass Own: ...\n")
        (root / name / "inner.py").write_text("".join(f"def {one}(): ...\n" for one in names))
    return root


@pytest.fixture
def jedi(root: Path) -> Iterator[Jedi]:
    source = Jedi(jedi_worker(root), root, _LIMITS)
    yield source
    source.stop()


# how many names a module imports decides whether it is looked up what each is, which reads where they come from
KINDS = """
small  f1   method
small  Own  class
many   f1   property
many   Own  class
"""


@pytest.mark.parametrize("case", KINDS.strip().splitlines())
def test_what_the_names_of_a_module_are(case: str, jedi: Jedi, root: Path) -> None:
    module, name, kind = case.split()
    text = f"import {module}\n{module}."
    found = jedi.names(document(root, "a.py", text), len(text), Position.MEMBER)
    assert isinstance(found, Listed)
    assert found.names[name] is NameKind(kind)
    assert {"f0", "f9", "inner", "Own"} <= found.names.keys()


CONFTEST = "import pytest\n@pytest.fixture\ndef {name}() -> str: ...\n"
# where a test is, and which fixtures of conftest.py files it may be given
FIXTURES = [("a/b/test_c.py", {"top", "inner", "tmp_path"}, {"other"}), ("test_c.py", {"top"}, {"inner", "other"})]


@pytest.mark.parametrize(("path", "given", "others"), FIXTURES)
def test_fixtures_are_those_of_the_folders_above(
    path: str, given: set[str], others: set[str], jedi: Jedi, root: Path
) -> None:
    for folder, name in ((".", "top"), ("a/b", "inner"), ("a/c", "other")):
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / "conftest.py").write_text(CONFTEST.format(name=name))
    text = "def test_a():\n    pass\n"
    found = jedi.names(document(root, path, text), text.index(")"), Position.FIXTURE)
    assert isinstance(found, Listed)
    assert given <= found.names.keys()
    assert not others & found.names.keys()


class Recorded(Jedi):
    """Remembers the texts behind which names were asked for, and may be put off behind the first."""

    def __init__(self, root: Path, *, hurried: bool = False) -> None:
        super().__init__(jedi_worker(root), root, _LIMITS)
        self.read: list[str] = []
        self._hurried = hurried

    def _asked(self, method: str, document: object, offset: int, **more: object) -> object:  # type: ignore[override]
        if method == "names":
            self.read.append(document.text.rpartition("\n")[2])  # type: ignore[attr-defined]  # a document
            self.put_off(due=self._hurried)
        return super()._asked(method, document, offset, **more)  # type: ignore[arg-type]  # likewise


def test_what_a_file_imports_is_read_before_anybody_asks_where_there_is_no_other_checker(root: Path) -> None:
    source = Recorded(root)
    oracle = Oracle([source])
    try:
        told = oracle.prepare(document(root, "a.py", IMPORTS + "x = (")).wait(PATIENCE)
        assert (told.value, told.by.split()[0]) == (None, "jedi")
        assert source.read == ["json.", "small.", "more."]
    finally:
        oracle.close()


def test_reading_ahead_gives_way_to_a_question(root: Path) -> None:
    source = Recorded(root, hurried=True)
    with pytest.raises(PutOffError):
        source.prepare(document(root, "a.py", IMPORTS))
    assert source.read == ["json."]
    source.stop()


def test_beside_another_checker_jedi_is_not_started_for_a_file_that_is_opened(root: Path) -> None:
    checker_for("py")
    oracles = Oracles([root], limits=_LIMITS)
    asked = document(root, "a.py", IMPORTS)
    try:
        oracle = oracles.of(asked)
        told = oracle.prepare(asked).wait(PATIENCE)
        assert (told.value, told.by.split()[0]) == (None, "ty")
        assert [source.starts for source in oracle._sources if isinstance(source, Jedi)] == [0]
    finally:
        oracles.close()
