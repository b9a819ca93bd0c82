/**
 * @typedef {Object} Product
 * @property {string} id
 * @property {string} name
 * @property {number} price in cents
 * @property {string[]} tags
 */

/** Everything that the shop sells. */
export const products = [
  { id: 'assam', name: 'Assam', price: 690, tags: ['black', 'strong'] },
  { id: 'sencha', name: 'Sencha', price: 850, tags: ['green'] },
  { id: 'rooibos', name: 'Rooibos', price: 540, tags: ['herbal', 'mild'] },
  { id: 'oolong', name: 'Oolong', price: 1200, tags: ['green', 'strong'] },
];

/** The product with this id, or undefined. */
export function findProduct(id) {
  return products.find((product) => product.id === id);
}

/** All products that carry a tag. */
export function productsByTag(tag) {
  const result = [];
  for (let i = 0; i < products.length; i++) {
    if (products[i].tags.includes(tag)) {
      result.push(products[i]);
    }
  }
  return result;
}

/** Every tag once, in alphabetical order. */
export function allTags() {
  const tags = new Set();
  for (const product of products) {
    for (const tag of product.tags) {
      tags.add(tag);
    }
  }
  return [...tags].sort();
}
