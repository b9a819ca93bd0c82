"""What keeps controllers in on this machine, found out by starting a worker."""

from __future__ import annotations

from decoder.controller.protocol import Language


def confinement(language: Language) -> tuple[str, ...]:
    """What a worker for programs in a language has given up, in words.

    Raises:
        ControllerError: none can be started here.
    """
    from decoder.controller.pool import shared  # noqa: PLC0415 - it loads what few runs need

    return shared().prepare(language)
