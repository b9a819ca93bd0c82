import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { OrderError, type NewOrder } from './model';
import { priceOf } from './pricing';
import { OrderStore } from './store';

const store = new OrderStore();

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, resource, id] = url.pathname.split('/');
  if (resource !== 'orders') {
    send(response, 404, { error: 'not found' });
  } else if (request.method === 'POST') {
    const newOrder = JSON.parse(await readBody(request)) as NewOrder;
    const order = store.place(newOrder);
    send(response, 201, { order, price: priceOf(order) });
  } else {
    const order = store.get(id);
    send(response, 200, { order, price: priceOf(order) });
  }
}

export const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    const status = error instanceof OrderError ? 400 : 500;
    const message = error instanceof Error ? error.message : String(error);
    send(response, status, { error: message });
  });
});
