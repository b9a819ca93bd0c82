/** The life of an order, in its order. */
export enum OrderStatus {
  Placed = 'placed',
  Paid = 'paid',
  Shipped = 'shipped',
  Cancelled = 'cancelled',
}

export interface OrderLine {
  productId: string;
  quantity: number;
  /** In cents. */
  unitPrice: number;
}

export interface Order {
  id: string;
  customer: string;
  lines: OrderLine[];
  status: OrderStatus;
  placedAt: Date;
}

export type NewOrder = Omit<Order, 'id' | 'status' | 'placedAt'>;

/** Something is wrong with an order; the message is meant for the customer. */
export class OrderError extends Error {
  constructor(
    message: string,
    readonly orderId?: string,
  ) {
    super(message);
    this.name = 'OrderError';
  }
}

/** Whether an order may still be changed. */
export function isOpen(order: Order): boolean {
  return order.status === OrderStatus.Placed || order.status === OrderStatus.Paid;
}
