"""Does a model that proposes any token at all ever get stuck, and can the text that it wrote be brought to an end?

This is the check `generations` of `benchmarks/grammar_soundness.py`.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import grammar_other_languages
from benchmarks.grammar_closing import EndingFinder
from benchmarks.grammar_corpus import TreeJudge, sources
from benchmarks.grammar_other_languages import SAMPLES
from benchmarks.grammar_tally import GrammarTally
from decoder.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from context_index.symbols import Language
    from decoder.grammar import State

_TOKENS = 120
"""Tokens of a generation."""
_ENDING = 64
"""The most tokens of an ending."""
_CONTEXT = 2_000
"""The most characters of a file before a generation."""
_INDENTED = " " * 80
"""A line that continues another may have to be indented further than the block that it is in."""
_DRAWS = 400
"""Tokens drawn at random before all are tried in turn."""
_EMBEDDED = Path(__file__).parent.parent / "decoder" / "embedded" / "tokenizer.json"


def check_generations(language: Language, roots: list[Path], seed: int, portable: bool) -> Iterator[GrammarTally]:  # noqa: FBT001 - all checks are called alike
    """Write random legal tokens after the beginnings of files, and end the text; yields the tally after each file.

    If there are no files, a sample program is read again and again; a language without one has an empty line.
    """
    file_texts = (source.text for source in sources(language, roots, seed))
    first = next(file_texts, None)
    texts = repeat(SAMPLES.get(language, "\n")) if first is None else chain((first,), file_texts)
    return _generations(Grammar.load(language, portable=portable), TreeJudge.of(language), texts, seed)


def check_other_generations(name: str, seed: int, portable: bool) -> Iterator[GrammarTally]:  # noqa: FBT001 - likewise
    """Do the same in a language that does not ship with us, after beginnings of its sample program."""
    judge = TreeJudge(grammar_other_languages.capsule(name))
    return _generations(
        grammar_other_languages.learn_grammar(name, portable=portable), judge, repeat(SAMPLES[name]), seed
    )


def _generations(grammar: Grammar, judge: TreeJudge, texts: Iterable[str], seed: int) -> Iterator[GrammarTally]:
    """Generate once for each text, in turn from nothing and after its beginning; yields the one tally after each."""
    finder = EndingFinder(grammar)
    draw = random.Random(seed)  # noqa: S311 - reproducible
    tally = GrammarTally()
    tokens = _vocabulary()
    for number, text in enumerate(texts):
        before = text[: draw.randrange(min(len(text), _CONTEXT))] if number % 2 else ""
        state = grammar.start().advance(before)
        tally.count("generations")
        if state is None:
            tally.fail("refused", repr(before))
            yield tally
            continue
        written = before
        for _ in range(_TOKENS):
            legal = _draw_legal(state, tokens, draw, tally)
            if legal is None:
                tally.fail("stuck", repr(written))
                break
            following, token = legal
            if not token.strip() and not _may_say_something(state, tokens, draw, tally):
                tally.fail("nothing but white space may follow", repr(written[-200:]))
                break
            state, written = following, written + token
        ending = finder.ending(state, _ENDING)
        if ending is None:
            tally.fail("not ended", repr(written))
        elif not judge.accepts(written + ending):
            tally.fail("ended wrongly", repr((written + ending)[len(before) :][-400:]))
        yield tally


def _draw_legal(state: State, tokens: list[str], draw: random.Random, tally: GrammarTally) -> tuple[State, str] | None:
    """A random token that may follow, and the state after it; None if no token may follow."""
    for number in range(_DRAWS + len(tokens)):
        token = draw.choice(tokens) if number < _DRAWS else tokens[number - _DRAWS]
        following = tally.advance(state, token)
        if following is not None:
            return following, token
    return None


def _may_say_something(state: State, tokens: list[str], draw: random.Random, tally: GrammarTally) -> bool:
    """Whether a token that is more than white space may follow, at once or after a line end."""
    words = [token for token in tokens if token.strip()]
    after_line = state.advance("\n" + _INDENTED)
    return any(each is not None and _draw_legal(each, words, draw, tally) is not None for each in (state, after_line))


@cache
def _vocabulary() -> list[str]:
    """The texts of the embedded model's tokens, those without text or with a part of a character left out."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - only this check needs it

    tokenizer = Tokenizer.from_file(str(_EMBEDDED))
    texts = (tokenizer.decode([token]) for token in range(tokenizer.get_vocab_size()))
    return sorted({text for text in texts if text and "\ufffd" not in text})
