"""Describes a model in words: its engine, what that can do, its family, and how it is asked.

`summarise` describes a loaded model. `description` uses `abilities` and `sample_of` for one that is not loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index.symbols import Language
from decoder.models.model import Sees
from decoder.prompt.families import Family, PromptSource
from decoder.prompt.layouts import Marker
from decoder.prompt.packing import packer_for

if TYPE_CHECKING:
    from decoder.models.model import Abilities, Model

_SAMPLE = PromptSource(Language.PYTHON, "def area(r):\n    return ", "\n\nprint(area(2))\n", path="area.py")
_SEES = {
    Sees.LOGITS: "sees all tokens",
    Sees.TOP_TOKENS: "sees the best tokens",
    Sees.TOP_TEXTS: "sees the best tokens as text",
    Sees.TEXTS: "sees no probabilities: it is asked for whole texts, and the first that is accepted is shown",
}


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """A model in words."""

    engine: str
    """Where it computes: a device, or a server's kind and address."""
    context: int
    """Tokens that it reads."""
    can: str
    """What it can do, in one phrase (`abilities`)."""
    family: str
    """Its family, the order of its prompt, and how other files are given."""
    fills_in: bool
    """Whether it reads the text after the cursor."""
    sample: str
    """A sample prompt, with the markers as they are spelled."""


def summarise(model: Model) -> ModelSummary:
    """The summary of a loaded model."""
    family = packer_for(model.vocabulary).family
    return ModelSummary(
        engine=model.device,
        context=model.context,
        can=abilities(model.abilities),
        family=family.description,
        fills_in=family.reads_suffix,
        sample=sample_of(family),
    )


def sample_of(family: Family) -> str:
    """A sample prompt of a family, with the markers as they are spelled."""
    return "".join(part.spelling if isinstance(part, Marker) else part.text for part in family.layout(_SAMPLE))


def abilities(declared: Abilities) -> str:
    """What a model can do, in one phrase."""
    drafts = "drafts" if declared.drafts else "no draft"
    return f"{_SEES[declared.sees]}; {drafts}"
