// Invoices as their makers call them.
import type { Api, ApiAnswer } from '../api.js';

export const INVOICES = '/v1/merchants/me/invoices';
export const ITEMS = [
  { description: 'Kelas memasak', quantity: 2, unit_amount: '150000' },
  { description: 'Celemek <b>', quantity: 1, unit_amount: '0' },
];

export const draftInvoice = (api: Api, body: object = {}): Promise<ApiAnswer> =>
  api.call(INVOICES, { method: 'POST', body: { environment: 'TEST', items: ITEMS, ...body } });
export const showInvoice = (api: Api, id: unknown): Promise<ApiAnswer> =>
  api.call(`${INVOICES}/${String(id)}`);
export const changeInvoice = (api: Api, id: unknown, body: object): Promise<ApiAnswer> =>
  api.call(`${INVOICES}/${String(id)}`, { method: 'PATCH', body });
export const finalizeInvoice = (api: Api, id: unknown): Promise<ApiAnswer> =>
  api.call(`${INVOICES}/${String(id)}/finalize`, { method: 'POST' });
export const voidInvoice = (api: Api, id: unknown): Promise<ApiAnswer> =>
  api.call(`${INVOICES}/${String(id)}/void`, { method: 'POST' });

export const previewInvoice = (api: Api, id: unknown): Promise<ApiAnswer> =>
  api.call(`${INVOICES}/${String(id)}/preview`);
export const sendInvoice = (api: Api, id: unknown): Promise<ApiAnswer> =>
  api.call(`${INVOICES}/${String(id)}/send`, { method: 'POST' });
export const remindInvoice = (api: Api, id: unknown): Promise<ApiAnswer> =>
  api.call(`${INVOICES}/${String(id)}/remind`, { method: 'POST' });

/** Drafted and finalized. */
export async function openInvoice(api: Api, body: object = {}): Promise<ApiAnswer> {
  const { id } = (await draftInvoice(api, body)).body;
  return finalizeInvoice(api, id);
}
