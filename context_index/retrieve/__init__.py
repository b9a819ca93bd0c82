"""What a model should see of the rest of the program, within a budget.

The snippets are declarations of imported names, and of names of the same file far away; those that the lines above use
come first. They change only with the line, the imports and the called function. Those that stay keep their order, so
that the model need not read them again at each keystroke.
"""

from __future__ import annotations

from context_index.retrieve.budget import Budget
from context_index.retrieve.retriever import Retriever

__all__ = ["Budget", "Retriever"]
