"""A scripted model of each kind that a model can declare (`Abilities`): all give whole texts the same probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from decoder.models.card import ModelCard
from decoder.models.model import Abilities, Model, Sees
from decoder.models.server.client import ServerClient
from decoder.models.server.model import Place, Row, ServerModel
from decoder.models.server.vocabulary import LearntVocabulary
from decoder.models.vocabulary import Vocabulary
from tests.decoder.scripted import END, byte_vocabulary, thinks

KINDS: Mapping[str, Abilities] = {
    "all tokens": Abilities(),
    "all tokens, in 16 bits": Abilities(exact=False),
    "all tokens, no drafts": Abilities(drafts=False),
    **{str(sees): Abilities(sees, drafts=False) for sees in Sees if sees is not Sees.LOGITS},
}
_BEST = 5
"""The tokens that a row names, where it does not have all."""
_PIECE = re.compile(r" ?\w+|[^\w\s]|\s")


class ScriptedRows:
    """Rows as a server of one kind would give them: the best tokens, by number or by what they write."""

    def __init__(self, sees: Sees, texts: Mapping[str, float]) -> None:
        self.sees = sees
        self.learnt = None if sees is Sees.TOP_TOKENS else LearntVocabulary(("<end>",), ("<end>",))
        self.vocabulary: Vocabulary = self.learnt or byte_vocabulary()
        self._texts = texts
        self._prompt_length: int | None = None

    def after(self, place: Place) -> Row:
        """The best tokens after a place; the end is certain where no text goes on."""
        if self._prompt_length is None:
            self._prompt_length = len(place)
        row = self._all_after(place)
        best = sorted(row, key=row.__getitem__, reverse=True)[:_BEST]
        return {token: row[token] for token in best} or {min(self.vocabulary.end): 0.0}

    def among(self, place: Place, tokens: Collection[int] | None, without: Collection[int]) -> Row:
        """Further tokens; a server of texts has none."""
        if self.sees is Sees.TEXTS:
            return {}
        row = self._all_after(place)
        return {token: row[token] for token in row if token not in without and (tokens is None or token in tokens)}

    def close(self) -> None:
        """Nothing is open."""

    def _all_after(self, place: Place) -> Row:
        written = self.vocabulary.decode(place[self._prompt_length :])
        following: dict[int, float] = {}
        for text, probability in self._texts.items():
            if text.startswith(written):
                token = self._next(text[len(written) :])
                following[token] = following.get(token, 0.0) + probability
        total = sum(following.values())
        return {token: math.log(probability / total) for token, probability in following.items()}

    def _next(self, rest: str) -> int:
        """The first token of what a text has after a place."""
        if self.learnt is None:
            return rest.encode()[0] if rest else END
        if (piece := _PIECE.match(rest)) is None:
            return min(self.learnt.end)
        number = self.learnt.number(piece[0].encode())
        assert number is not None
        return number


@contextmanager
def writer(kind: str, texts: Mapping[str, float]) -> Iterator[Model]:
    """A model of a kind that gives whole texts these probabilities."""
    abilities = KINDS[kind]
    if abilities.sees is Sees.LOGITS:
        model = thinks(texts)
        model.abilities = abilities
        yield model
        return
    rows = ScriptedRows(abilities.sees, texts)
    client = ServerClient("http://127.0.0.1:9")  # it is never asked
    try:
        yield ServerModel(ModelCard.of(rows.vocabulary), rows, 4096, client=client, kind="scripted")
    finally:
        client.close()
