import { isOpen, OrderError, OrderStatus, type NewOrder, type Order } from './model';

/** Keeps orders in memory. */
export class OrderStore {
  private readonly orders = new Map<string, Order>();
  private nextId = 1;

  place(newOrder: NewOrder): Order {
    if (newOrder.lines.length === 0) {
      throw new OrderError('an order needs at least one line');
    }
    const id = `order-${this.nextId}`;
    const order: Order = { ...newOrder, id, status: OrderStatus.Placed, placedAt: new Date() };
    this.orders.set(id, order);
    this.nextId += 1;
    return order;
  }

  get(id: string): Order {
    const order = this.orders.get(id);
    if (!order) {
      throw new OrderError(`no order '${id}'`, id);
    }
    return order;
  }

  pay(id: string): Order {
    const order = this.get(id);
    if (order.status !== OrderStatus.Placed) {
      throw new OrderError(`order '${id}' is ${order.status}`, id);
    }
    order.status = OrderStatus.Paid;
    return order;
  }

  cancel(id: string): Order {
    const order = this.get(id);
    if (!isOpen(order)) {
      throw new OrderError(`order '${id}' is ${order.status}`, id);
    }
    order.status = OrderStatus.Cancelled;
    return order;
  }

  /** The orders of one customer, oldest first. */
  byCustomer(customer: string): Order[] {
    const result: Order[] = [];
    for (const order of this.orders.values()) {
      if (order.customer === customer) {
        result.push(order);
      }
    }
    return result.sort((a, b) => a.placedAt.getTime() - b.placedAt.getTime());
  }
}
