"""The tests of controllers run JavaScript."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def needs_quickjs(quickjs: None) -> None:
    pass
