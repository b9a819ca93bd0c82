"""Adds orders up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .models import Order


@dataclass(frozen=True)
class Summary:
    """The figures of a report."""

    orders: int
    revenue: int
    best_sellers: list[tuple[str, int]]

    @property
    def average(self) -> float:
        """The mean total of an order, in cents."""
        if self.orders == 0:
            return 0.0
        return self.revenue / self.orders


def revenue_by_customer(orders: Sequence[Order]) -> dict[str, int]:
    """How much each customer spent, in cents."""
    revenue: dict[str, int] = {}
    for order in orders:
        revenue[order.customer] = revenue.get(order.customer, 0) + order.total
    return revenue


def count_products(orders: Sequence[Order]) -> Counter[str]:
    """How many of each product were sold."""
    counts: Counter[str] = Counter()
    for order in orders:
        for line in order.lines:
            counts[line.product] += line.quantity
    return counts


def summarize(orders: Sequence[Order], best: int = 3) -> Summary:
    """The figures of all orders together."""
    revenue = 0
    for order in orders:
        revenue += order.total
    counts = count_products(orders)
    return Summary(len(orders), revenue, counts.most_common(best))
