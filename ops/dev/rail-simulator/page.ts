// The customer's page of the simulated banks: pays by QR payload or account number.
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { formatMoney } from '#actors/core/money.js';
import type { SimulatedOrder } from './orders-store.js';
import type { SimulatorRequest, Reply } from './http.js';
import { advanceOrder, payOrder } from './orders.js';
import type { SimulatorContext } from './simulator-context.js';

const LISTED = 50;
const Form = Type.Object({ pay_by: Type.String({ maxLength: 1024 }) });

export function answerPage(ask: SimulatorRequest, stage: SimulatorContext): Reply {
  if (ask.path.length === 0 && ask.method === 'GET') return renderPage(stage, '');
  if (ask.path.join('/') !== 'pay' || ask.method !== 'POST')
    return renderPage(stage, 'No such page.', 404);
  const payBy = Value.Check(Form, ask.body) ? ask.body.pay_by.trim() : '';
  const { store } = stage;
  const order = store.findOrder('midtrans', payBy) ?? store.findOrder('xendit', payBy);
  if (order === undefined) return renderPage(stage, 'Nobody knows this code or number.', 404);
  const paid = payOrder(order, { nowMs: stage.nowMs(), isForced: false });
  if (paid === undefined) return renderPage(stage, 'This order cannot be paid any more.', 409);
  stage.change(paid);
  return renderPage(stage, `Paid: ${showAmount(order)}.`);
}

/** Rails of the simulator know no other currency. */
const showAmount = ({ amountMinor }: SimulatedOrder): string =>
  formatMoney(String(amountMinor), 'IDR');

function renderPage(stage: SimulatorContext, note: string, status = 200): Reply {
  const nowMs = stage.nowMs();
  const orders = stage.store.listOrders().slice(-LISTED).reverse();
  const rows = orders.map((order) => renderRow(advanceOrder(order, nowMs))).join('');
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Rail simulator</title></head><body>
<h1>Rail simulator</h1>
<p>No money moves here. Pay as a customer: by the payload of a QR code, or an account number.</p>
<form method="post" action="/pay">
<input name="pay_by" size="60" aria-label="Payload or account number"> <button>Pay</button>
</form>
<p role="status">${escapeText(note)}</p>
<table><tr><th>Rail</th><th>Method</th><th>Amount</th><th>Status</th><th>Order</th><th></th></tr>
${rows}</table>
</body></html>
`;
  return { status, type: 'text/html; charset=utf-8', body };
}

function renderRow(order: SimulatedOrder): string {
  const cells = [order.rail, order.method, showAmount(order), order.status, order.orderId];
  const pay =
    order.status === 'pending'
      ? `<form method="post" action="/pay"><input type="hidden" name="pay_by" value="${escapeText(order.payBy)}"><button>Pay</button></form>`
      : '';
  return `<tr>${cells.map((cell) => `<td>${escapeText(cell)}</td>`).join('')}<td>${pay}</td></tr>\n`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
