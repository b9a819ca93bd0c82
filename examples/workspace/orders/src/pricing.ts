import type { Order, OrderLine } from './model';

const FREE_SHIPPING = 5000;
const SHIPPING = 490;
const TAX_RATE = 0.19;

export interface Price {
  subtotal: number;
  shipping: number;
  tax: number;
  total: number;
}

/** The price of one line, in cents. */
export function linePrice(line: OrderLine): number {
  return line.quantity * line.unitPrice;
}

export function subtotalOf(lines: OrderLine[]): number {
  let subtotal = 0;
  for (const line of lines) {
    subtotal += linePrice(line);
  }
  return subtotal;
}

export function shippingFor(subtotal: number): number {
  if (subtotal >= FREE_SHIPPING) {
    return 0;
  }
  return SHIPPING;
}

/** What a customer pays for an order. */
export function priceOf(order: Order): Price {
  const subtotal = subtotalOf(order.lines);
  const shipping = shippingFor(subtotal);
  const tax = Math.round((subtotal + shipping) * TAX_RATE);
  const total = subtotal + shipping + tax;
  return { subtotal, shipping, tax, total };
}

/** The dearest line of an order. */
export function dearestLine(order: Order): OrderLine | undefined {
  let dearest: OrderLine | undefined;
  for (const line of order.lines) {
    if (!dearest || linePrice(line) > linePrice(dearest)) {
      dearest = line;
    }
  }
  return dearest;
}
