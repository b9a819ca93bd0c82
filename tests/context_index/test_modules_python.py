"""Python names of random trees of packages, namespaces and modules: resolved as CPython resolves them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from context_index.languages.python.modules import PythonModules

ASK = """
import importlib.util, json, sys
found = []
for name, package in json.load(sys.stdin):
    try:
        spec = importlib.util.find_spec(name, package)
    except (ImportError, ValueError):
        spec = None
    found.append(spec.origin if spec is not None and spec.has_location else None)
print(json.dumps(found))
"""
WORDS = ("alfa", "beta", "gamma")
NAMES = [".".join(words) for length in (1, 2, 3) for words in product(WORDS, repeat=length)]


def lay_out(source: Path, chance: random.Random) -> set[Path]:
    """Files of random packages, with and without `__init__.py`, some named like modules beside them."""
    files = set()
    for _ in range(chance.randrange(3, 18)):
        path = source.joinpath(*chance.choices(WORDS, k=chance.randrange(1, 4)))
        files.add(path / "__init__.py" if chance.random() < 0.4 else path.with_suffix(".py"))
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return files


def questions(source: Path, files: set[Path]) -> list[tuple[Path, str, str | None]]:
    """Importers, what they import, and for relative names the package that they are in."""
    asked: list[tuple[Path, str, str | None]] = [(source / "main.py", name, None) for name in NAMES]
    for path in sorted(files):
        around = list(path.parents)[: list(path.parents).index(source)]
        if around and all(directory / "__init__.py" in files for directory in around):
            package = ".".join(path.parent.relative_to(source).parts)
            levels = range(1, package.count(".") + 2)
            asked += [(path, "." * level + name, package) for level in levels for name in NAMES[:12]]
    return asked


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_names_lead_where_the_interpreter_goes(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = tmp_path.resolve()
    source = root / "src" if seed % 2 else root
    (root / "pyproject.toml").touch()
    files = lay_out(source, chance)
    modules = PythonModules(files.__contains__, (root,))
    for path in files:
        modules.learn([path])
    asked = questions(source, files)
    answered = subprocess.run(
        [sys.executable, "-S", "-c", ASK],
        input=json.dumps([(name, package) for _, name, package in asked]),
        env={"PYTHONPATH": str(source)},
        cwd="/",
        text=True,
        capture_output=True,
        check=True,
    )
    for (importer, name, package), expected in zip(asked, json.loads(answered.stdout), strict=True):
        found = modules.resolve(importer, name)
        assert (None if found is None else str(found)) == expected, (name, package)
    assert any(json.loads(answered.stdout))


@pytest.mark.parametrize("module", [".models//c", "shop/cart", "..", ".shop.", "shop..cart", "a()b"])
def test_what_broken_code_has_in_the_place_of_a_name_leads_nowhere(tmp_path: Path, module: str) -> None:
    modules = PythonModules(lambda _path: False, (tmp_path,))
    modules.learn([tmp_path / "shop" / "cart.py"])
    assert modules.resolve(tmp_path / "shop" / "main.py", module) is None
