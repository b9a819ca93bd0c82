import { findProduct } from './catalog.js';
import { formatPrice, truncate } from './format.js';

/**
 * @typedef {Object} Payment
 * @property {string} method
 * @property {number} paid in cents
 * @property {boolean} isFinal
 * @property {{ name: string, points: number }} customer
 */

/**
 * One line of a receipt.
 * @param {string} label
 * @param {number} cents
 * @param {'left' | 'right'} [side] where the price stands
 * @returns {string}
 */
export function receiptLine(label, cents, side) {
  const price = formatPrice(cents);
  return side === 'left' ? `${price}  ${label}` : `${truncate(label, 24).padEnd(24)}${price}`;
}

/**
 * What a customer gets for a payment.
 * @param {import('./cart.js').Cart} cart
 * @param {Payment} payment
 */
export function receiptOf(cart, payment) {
  const lines = cart.items.map(({ product, quantity }) => receiptLine(product.name, product.price * quantity));
  const change = payment.paid - cart.total;
  const gift = findProduct('sencha');

  if (gift && payment.customer.points > 100) {
    lines.push(receiptLine(gift.name, 0));
  }
  return [...lines, receiptLine('change', change)].join('\n');
}
