import { findProduct } from './catalog.js';

/** What a customer is about to buy. */
export class Cart {
  constructor() {
    this.items = [];
  }

  /** Put some of a product into the cart. */
  add(productId, quantity = 1) {
    const product = findProduct(productId);
    if (!product) {
      throw new Error(`no product '${productId}'`);
    }
    const item = this.items.find((item) => item.product.id === productId);
    if (item) {
      item.quantity += quantity;
    } else {
      this.items.push({ product, quantity });
    }
    return this;
  }

  /** Take a product out of the cart. */
  remove(productId) {
    this.items = this.items.filter((item) => item.product.id !== productId);
  }

  /** How many things there are in the cart. */
  get count() {
    let count = 0;
    for (const item of this.items) {
      count += item.quantity;
    }
    return count;
  }

  /** The price of everything, in cents. */
  get total() {
    let total = 0;
    for (const item of this.items) {
      total += item.product.price * item.quantity;
    }
    return total;
  }

  isEmpty() {
    return this.items.length === 0;
  }
}

/** Split what is to be paid into equal parts; the first one takes the remainder. */
export function splitTotal(total, people) {
  const share = Math.floor(total / people);
  const shares = [];
  for (let i = 0; i < people; i++) {
    shares.push(share);
  }
  shares[0] += total - share * people;
  return shares;
}
