"""From the text around the cursor to the tokens that a model reads.

`heal` takes a half-typed word back, `packer_for(vocabulary).pack(source, budget)` makes the prompt in the layout of
the model's family.
"""

from __future__ import annotations

from decoder.prompt.families import Family, PromptSource, family_of
from decoder.prompt.healing import heal
from decoder.prompt.packing import Packer, packer_for

__all__ = ["Family", "Packer", "PromptSource", "family_of", "heal", "packer_for"]
