"""What holds for all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from decoder.controller.quickjs_file import QuickJSMissingError, quickjs_file

os.environ.setdefault("INSCOPE_QUICKJS", str(Path(__file__).parent / "node_modules" / "quickjs-wasi"))

# Time decides no test: a busy machine must not fail a law.
settings.register_profile("inscope", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("inscope")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background jobs ignore interrupts, and so would the processes that tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def quickjs() -> None:
    """For tests that run JavaScript: skipped where there is nothing to run it in."""
    try:
        quickjs_file()
    except QuickJSMissingError as missing:
        pytest.skip(str(missing))
