"""What is a word of code and of a sentence about it, for all who compare the two."""

from __future__ import annotations

import re
from typing import Final

WORD: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
"""A name as all our languages spell them, or a word of people's."""
