import pytest

from decoder.controller.quickjs_file import QuickJSMissingError, quickjs_file


@pytest.fixture(scope="session", autouse=True)
def quickjs() -> None:
    try:
        quickjs_file()
    except QuickJSMissingError as missing:
        pytest.skip(str(missing))
