"""Which files `inscope bench batch_positions` draws places from."""

from __future__ import annotations

from pathlib import Path

from benchmarks.batch_positions import files
from tests.files import lay_out


def test_folders_called_test_are_left_out_below_a_root_only(tmp_path: Path) -> None:
    root = tmp_path / "test" / "site-packages"
    lay_out(root, {"shop/cart.py": "", "shop/test/cart.py": "", "shop/cart.js": ""})
    assert files([root], (".py",)) == [root.resolve() / "shop" / "cart.py"]
