"""What an instruction may mean, guessed from its words: whole texts that are written beside the model's, and weighed.

None is a result because it was guessed. It is written by the model, held to the constraint, with a bias that is told of
it; what was told counts no more when the text is weighed (`second_thoughts`), but for what `toward_bias` and `worth`
say of any text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.bias import Biases
from decoder.rewriting.copy_bias import CopyBias, Told
from decoder.rewriting.extraction import extraction
from decoder.rewriting.frame import Frame
from decoder.rewriting.guess import Guess, Meant
from decoder.rewriting.instruction import may_rename, names, words
from decoder.rewriting.interpolation import interpolation
from decoder.rewriting.substitution import Substitution, substitution
from decoder.rewriting.toward_bias import TowardBias
from decoder.rewriting.worth import Worth

if TYPE_CHECKING:
    from collections.abc import Container

    from decoder.models.vocabulary import Vocabulary
    from decoder.rewriting.task import RewriteTask


class Guesses:
    """Those of one task, one at most of each kind.

    Args:
        task: Its instruction and symbols are read.
        original: The text that is written anew, as the model reads it.
        vocabulary: Of the model.
    """

    def __init__(self, task: RewriteTask, original: str, vocabulary: Vocabulary) -> None:
        self._instruction = instruction = task.instruction
        self._original = original
        self._vocabulary = vocabulary
        self._python = python = task.symbols.language.is_python
        known = task.symbols.names
        self.meant = None if task.meant is None else Meant(Frame.of(task.meant).body)
        """What is surely wanted."""
        self._replaced: Substitution | None = None
        self._toward: Guess | None = self.meant
        """A text that is changed at a few places, and copied else."""
        if self.meant is None:
            self._replaced = substitution(instruction, original, python=python, known=known)
        if self.meant is None and self._replaced is None:
            self._toward = interpolation(instruction, original, python=python)
        if self._replaced is None and self._toward is None:
            self._toward = extraction(instruction, original, python=python, known=known)
        self.worth = Worth(instruction, original, self._replaced or self._toward, python=python, known=known)
        """What texts are worth beside their probability."""

    def bias(self, told: Told | None = None, *, toward: bool = False) -> Biases:
        """What a text is written and weighed with; where it is written as a guess, with what is told of it."""
        copy = CopyBias(
            self._vocabulary,
            self._original,
            names(self._instruction),
            words(self._instruction),
            renames=may_rename(self._instruction, self._original),
            python=self._python,
            pairs=None if self._replaced is None else self._replaced.words,
            told=told,
        )
        if self._toward is None:
            return Biases([copy])
        wanted = TowardBias(self._vocabulary, self._original, self._toward.text, python=self._python, sure=toward)
        return Biases([copy, wanted])

    def beside(self, written: str) -> list[tuple[Biases, str]]:
        """What may have been meant by changes that a text has in part or not at all: biases, and drafts of that."""
        found = list[tuple[Biases, str]]()
        if self._replaced is not None and not self._replaced.is_made_in(written):
            found.append((self.bias(Told(self._replaced.words)), self._replaced.text))
        if self._toward is not None and not self._toward.is_made_in(written):
            found.append((self.bias(toward=True), self._toward.text))
        elif self.worth.is_half_formatted(written):
            found.append((self.bias(Told(otherwise=True)), written))
        return found


def is_left_alone(instruction: str, text: str, whole: str, *, python: bool, known: Container[str]) -> bool:
    """Whether an instruction that may want a change of a whole file wants none of a part of it.

    A model that is asked to change a text in which nothing is to be changed writes another one.
    """
    for guess in (substitution, extraction):
        if guess(instruction, whole, python=python, known=known) is not None:
            return guess(instruction, text, python=python, known=known) is None
    return (
        interpolation(instruction, whole, python=python) is not None
        and interpolation(instruction, text, python=python) is None
    )
