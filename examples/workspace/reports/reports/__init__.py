"""Tells how the day went in the shop."""

from .models import Order, OrderLine
from .summary import Summary, summarize

__all__ = ["Order", "OrderLine", "Summary", "summarize"]
