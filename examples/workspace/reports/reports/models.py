"""Orders as the reports see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True)
class OrderLine:
    """Some of one product."""

    product: str
    quantity: int
    unit_price: int

    @property
    def price(self) -> int:
        """What the line costs, in cents."""
        return self.quantity * self.unit_price


@dataclass
class Order:
    """What one customer ordered on one day."""

    customer: str
    day: date
    lines: list[OrderLine] = field(default_factory=list)

    def add(self, line: OrderLine) -> None:
        """Add a line to the order."""
        self.lines.append(line)

    @property
    def total(self) -> int:
        """What the customer pays, in cents."""
        return sum(line.price for line in self.lines)

    @property
    def products(self) -> set[str]:
        """The names of all products in the order."""
        return {line.product for line in self.lines}
