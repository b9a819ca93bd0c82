"""Which names of a stretch a checker's remarks refuse; the stretch stands between two `|`."""

from __future__ import annotations

import pytest

from context_index.oracles.pending import Waiting
from context_index.oracles.protocol import Remark
from context_index.oracles.unknown import AskedUnknown
from context_index.symbols import Language, Open
from context_index.text import Document

CASES = [
    ("|a.zz|;", ["2339 zz no zz"], {"zz"}),
    ("|a.zz|;", ["2551 zz no zz"], {"zz"}),
    ("|a.zz|;", ["2322 zz not a string"], set()),
    ("let x: |zz|;", ["2749 zz a value"], {"zz"}),
    ("|a.zz|;", ["unresolved-attribute zz no zz"], {"zz"}),
    ("|a.zz|;", ["unresolved-attribute a Object of type `A` has no attribute `zz`"], {"zz"}),  # at the receiver
    ("b.yy; |a.zz|;", ["2339 yy no yy", "2339 zz no zz"], {"zz"}),
    ("b.zz; |a.zz|;", ["2339 zz no zz"], {"zz"}),
    ("a.yy; |a.xx|;", ["2339 yy no such", "2339 xx no such"], set()),  # the program's own way
    ("'😀'; |a.zz|;", ["2339 zz no zz"], {"zz"}),
    ("|import a from './zz'|;", ["2307 './zz' Cannot find it"], {"./zz"}),
    ("|import a from '@b/zz'|;", ["2591 '@b/zz' Cannot find name"], {"@b/zz"}),
    ("import b from '@/c'; |import a from '@/zz'|;", ["2307 '@/c' no c", "2307 '@/zz' no zz"], set()),
    ("import b from '@/c'; |import a from './zz'|;", ["2307 '@/c' no c", "2307 './zz' no zz"], {"./zz"}),
    ("import b from 'c'; |import a from 'node:zz'|;", ["2307 'c' no c", "2307 'node:zz' no zz"], {"node:zz"}),
    ("|import a from './zz.svg'|;", ["2307 './zz.svg' none"], set()),
    ("|import a from './zz.js'|;", ["2307 './zz.js' none"], {"./zz.js"}),
    ("|import zz from './b'|;", ["1192 zz no default export"], {"default"}),
    ("import zz from '|./b|';", ["2613 zz no default export"], {"default"}),
    ("import zz from './b'; f(|'./b'|);", ["1192 zz no default export"], set()),
    ("|a.zz + b.$yy|;", ["2339 zz no zz", "2304 $yy no $yy"], {"zz", "$yy"}),
]


@pytest.mark.parametrize(("code", "remarks", "expected"), CASES)
def test_names_that_are_refused(code: str, remarks: list[str], expected: set[str]) -> None:
    before, written, after = code.split("|")
    document = Document("file:///a.js", Language.JAVASCRIPT, before + written + after)
    waiting: Waiting[list[Remark]] = Waiting("a checker")
    waiting.settle([_remark(document.text, *remark.split(" ", 2)) for remark in remarks])
    asked = AskedUnknown(waiting, document, len(before), len(before) + len(written))  # type: ignore[arg-type]  # a list is a sequence
    assert asked.names(0) == expected


def test_who_does_not_know_or_is_late_refuses_nothing() -> None:
    document = Document("file:///a.js", Language.JAVASCRIPT, "a.zz")
    waiting: Waiting[list[Remark]] = Waiting("a checker")
    asked = AskedUnknown(waiting, document, 0, 4)  # type: ignore[arg-type]  # a list is a sequence
    assert asked.names(0) == frozenset()
    assert not waiting.wanted
    waiting.settle(Open("it stalled"))
    assert asked.names(0) == frozenset()


def _remark(text: str, code: str, name: str, message: str) -> Remark:
    place = text.rindex(name)
    return Remark(0, len(text[:place].encode("utf-16-le")) // 2, message, code, is_error=True)
