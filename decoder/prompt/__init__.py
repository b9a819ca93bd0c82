"""Makes prompts: from the text around the cursor to the tokens that a model reads.

`heal` splits a half-typed word off. `pack(card, source, budget)` cuts the texts to a budget and makes
the prompt in the layout of the model's family.

healing    the half-typed word
families   the prompts of the model families, as data
layouts    the prompts of the built-in model
packing    the texts cut to a budget, and their tokens
chat       chat templates of instruct models
rewriting  prompts for rewrites
"""

from __future__ import annotations

from decoder.prompt.families import Family, PromptSource, family_of
from decoder.prompt.healing import heal
from decoder.prompt.packing import pack

__all__ = ["Family", "PromptSource", "family_of", "heal", "pack"]
