"""What the tests of the server share."""

from collections.abc import Iterator

import pytest

from tests.lsp_server.forked import Forked


@pytest.fixture(scope="session")
def servers() -> Iterator[Forked]:
    """Forks servers, and `inscope complete`, from a process that has imported what they need."""
    with Forked(("lsp", "complete")) as commands:
        yield commands
