"""The tests of programs run JavaScript."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def needs_quickjs(quickjs: None) -> None:
    pass
