"""Exports under a name that the module exports already, as they are written."""

from __future__ import annotations

import pytest

from context_index.symbols import Language, SymbolContext
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from tests.decoder.scope.test_scope import NAMES, at_mark, refused_at

BOTH = [Language.JAVASCRIPT, Language.TYPESCRIPT]


def rule(language: Language, prefix: str = "", suffix: str = "", *, depth: int = 0) -> ScopeConstraint:
    """The rule in a module that exports `f` and a default."""
    entry = Entries(language).enter(prefix + suffix, len(prefix))
    symbols = SymbolContext(language, NAMES, depth=depth)
    exported = frozenset({"f", "default"})
    return ScopeConstraint.of(entry, symbols, prefix=prefix, suffix=suffix, exported=lambda: exported)


CASES = """
export { f ¦};
export { f ¦, total };
export { total, f ¦};
export { f as g };
export { f as g, total as f ¦};
export { total, items, total ¦};
export { total, total as g };
export { g as total }; export { total ¦};
export { f ¦} from 'a';
export { default ¦} from 'a';
export { default as g } from 'a';
export { total as default ¦};
export { total as 'f' };
export * as f ¦from 'a';
export * as g from 'a'; export { g ¦} from 'b';
export * from 'a';
const h = 1; export { h };
import { f as g } from 'a';
total = { f, g };
"""


@pytest.mark.parametrize("language", BOTH)
@pytest.mark.parametrize("line", CASES.strip().splitlines())
def test_what_is_exported_already(line: str, language: Language) -> None:
    text, mark = at_mark(line)
    assert refused_at(rule(language), text) == mark


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (Language.JAVASCRIPT, "export ¦default f;"),
        (Language.TYPESCRIPT, "export default interface A {}"),
        (Language.TYPESCRIPT, "export default function h(): void;"),
        (Language.TYPESCRIPT, "export type { User }; export { User ¦};"),
    ],
)
def test_a_second_default(language: Language, line: str) -> None:
    text, mark = at_mark(line)
    assert refused_at(rule(language), text) == mark


# text above, what is written, text below, whether it may end there
ENDS = """
export {    | f     |  };         | no
export {    | f     | , total };  | no
export {    | f     | ↵};         | no
export {    | f     | _as g };    | yes
export {    | total |  };         | yes
export { f, | total | };          | yes
total = {   | f     | };          | yes
export {    | zz } from 'a' |     | yes
export {    | zz } from 'a' | ↵   | yes
export {    | zz } from |  'a'    | yes
export {    | zz }  | ↵           | no
"""


@pytest.mark.parametrize("language", BOTH)
@pytest.mark.parametrize("line", ENDS.strip().splitlines())
def test_what_the_text_below_ends(line: str, language: Language) -> None:
    cells = line.replace("↵", "\n").split("|")
    prefix, written, suffix, may_end = (cell.strip(" ").replace("_", " ") for cell in cells)
    following = rule(language, f"{prefix} ", suffix).advance(written)
    assert not isinstance(following, Refusal)
    assert (following.may_stop() is None) is (may_end == "yes")


def test_within_a_function_nothing_is_known_of_exports() -> None:
    """What the text closes may be a namespace, which has exports of its own."""
    assert refused_at(rule(Language.TYPESCRIPT, "namespace a {\n", depth=1), "export { f };") is None
