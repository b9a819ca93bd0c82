"""Sources that several tests of training read."""

import ast
import random
from pathlib import Path

import pytest

from context_index.symbols import Language

_NODE_MODULES = Path(__file__).parents[2] / "node_modules"


@pytest.fixture(scope="session")
def node_modules_sources() -> list[tuple[Language, str]]:
    """Real files: of the standard library, and JavaScript where the test packages are installed."""
    python = sorted(Path(ast.__file__).parent.glob("*.py"))[:60]
    javascript = sorted(_NODE_MODULES.rglob("*.js"))[:200]
    if not javascript:
        pytest.skip("the packages of tests/package-lock.json are not installed")
    chosen = random.Random(0).sample(javascript, min(60, len(javascript)))
    return [
        (Language.PYTHON if path.suffix == ".py" else Language.JAVASCRIPT, path.read_text("utf-8", "replace"))
        for path in [*python, *chosen]
    ]
