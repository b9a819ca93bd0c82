import { Cart, splitTotal } from './cart.js';
import { allTags, productsByTag } from './catalog.js';
import { formatPrice, formatTable } from './format.js';

function printCatalog() {
  for (const tag of allTags()) {
    const names = productsByTag(tag).map((product) => product.name);
    console.log(`${tag}: ${names.join(', ')}`);
  }
}

function printCart(cart) {
  const rows = [];
  for (const item of cart.items) {
    const price = item.product.price * item.quantity;
    rows.push([String(item.quantity), item.product.name, formatPrice(price)]);
  }
  rows.push([String(cart.count), 'total', formatPrice(cart.total)]);
  console.log(formatTable(rows));
}

function main() {
  const cart = new Cart();
  cart.add('assam', 2).add('sencha');
  printCatalog();
  printCart(cart);
  const shares = splitTotal(cart.total, 3);
  console.log(`each pays ${shares.map(formatPrice).join(', ')}`);
}

main();
