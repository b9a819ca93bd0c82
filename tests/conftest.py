"""What holds for all tests, and what makes the quick part of them quick."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

# Time decides no test: a busy machine must not fail a law.
settings.register_profile("inscope", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("inscope"), max_examples=25)
settings.load_profile("inscope")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background jobs ignore interrupts, and so would the processes that tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


os.environ["INSCOPE_CONFIG"] = ""
"""No test reads the settings of whoever runs it."""
os.environ["INSCOPE_CACHE"] = str(Path(__file__).parents[1] / ".pytest_cache" / "inscope")
"""Nor does one leave indexes of its folders in their cache; this one is kept from run to run."""


def _is_quick(config: pytest.Config) -> bool:
    return bool(config.option.markexpr == "not slow")


def pytest_configure(config: pytest.Config) -> None:
    """A property is held against a quarter of its examples in the quick part; all are drawn in `make test`."""
    gc.disable()  # until all is imported and collected, of which nearly nothing is garbage
    if _is_quick(config):
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A module that is slow as a whole is not even imported where slow tests are left out: torch alone takes 3 s."""
    if collection_path.suffix == ".py" and _is_quick(config):
        return "\npytestmark = pytest.mark.slow\n" in collection_path.read_text("utf-8") or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """No module with quick tests imports torch."""
    before = "torch" in sys.modules
    report = yield
    if _is_quick(collector.config) and not before and "torch" in sys.modules:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} imports torch: mark it slow as a whole, as `test_llama` is"
    return report


def pytest_collection_finish() -> None:
    """What was imported and collected stays: no collection need look through it."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)  # full collections took 11 s of 150, and found nearly all in use
    gc.enable()


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """As pytest's own, but a worker of xdist reports a setup and a teardown only if they went wrong.

    Each report costs both sides a millisecond, as much as most tests.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture
def logged() -> Iterator[list[logging.LogRecord]]:
    """What is logged. Pytest's own fixture is switched off: for it each of a test's three phases takes 0.1 ms more."""
    records: list[logging.LogRecord] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    handler = Keeping()
    logging.getLogger().addHandler(handler)
    yield records
    logging.getLogger().removeHandler(handler)


@pytest.fixture(scope="session")
def quickjs() -> None:
    """For tests that run JavaScript: skipped where there is nothing to run it in."""
    from tests import needs  # noqa: PLC0415 - xdist's controller reads this file, and needs none

    needs.installed("quickjs")


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No part is installed, named or on the path."""
    from context_index.parts import parts  # noqa: PLC0415 - see above

    monkeypatch.setenv("INSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for part in parts():
        monkeypatch.delenv(part.variable, raising=False)


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment of Python is active."""
    for variable in ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "CONDA_PREFIX", "POETRY_VIRTUALENVS_PATH"):
        monkeypatch.delenv(variable, raising=False)
