"""What a model should see of the rest of the program, within a budget.

Declarations of what the file imports, the signature of what is being called, places edited a moment ago and passages
like the one being written; most useful first. Snippets change only with the line, the imports and the called function,
and those that stay keep their order, so that the model need not read them anew at each key.
"""

from __future__ import annotations

from context_index.retrieve.budget import Budget
from context_index.retrieve.retriever import Retriever

__all__ = ["Budget", "Retriever"]
