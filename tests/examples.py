"""How many examples a property draws where it says so itself."""

from hypothesis import settings

_ALL = 100
"""What hypothesis draws where nothing is said; the profile of the quick part (`conftest`) draws fewer."""


def examples(count: int) -> settings:
    """So many of them in the full part of the tests, in the quick one as small a share as the profile's."""
    return settings(max_examples=max(1, count * settings().max_examples // _ALL))
