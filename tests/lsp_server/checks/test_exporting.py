"""Where names are offered to others, `^` being the place."""

from __future__ import annotations

import pytest

from lsp_server.checks.exporting import is_exporting

OFFERED = [
    "module.exports = ^",
    "module.exports = { ^",
    "module.exports = { a, b, ^",
    "module.exports = {\n  a,\n  ^",
    "module.exports = {\n  a: b.c,\n  ^",
    "exports = { ^",
    "export { ^",
    "export { a as b, ^",
    "export type { ^",
    "export default ^",
    "export default { a, ^",
    "__all__ = [^",
    "__all__ = ['a', ^",
    "__all__: list[str] = [^",
    "x = 1\n__all__ += (^",
]
OTHERS = [
    "^",
    "module.exports = { a: ^",
    "module.exports = f(^",
    "module.exports = { a() { ^",
    "module.exports = { a };\n^",
    "exports.a = ^",
    "export const a = ^",
    "export { a };\nb(^",
    "export default f(^",
    "export default { data: ^",
    "__all__ = ['a']\nx = [^",
    "x.__all__ = [^",
]


@pytest.mark.parametrize(("marked", "offered"), [*((one, True) for one in OFFERED), *((one, False) for one in OTHERS)])
def test_where_names_are_offered(marked: str, *, offered: bool) -> None:
    assert is_exporting(marked.replace("^", ""), marked.index("^")) is offered
