// Requests to Xendit that several calls make.
import type { RailClient, RailRequest } from '../rail-client.js';
import { readReply, type Reply } from './wire.js';

export const API_VERSION = { 'api-version': '2024-11-11' };
/** The longest page of refunds. */
const REFUNDS_LISTED = 100;

export async function sendRequest(
  client: RailClient,
  request: RailRequest,
  signal: AbortSignal,
): Promise<Reply> {
  return readReply(await client.send(request, signal));
}

export const buildRequestPath = (id: string): string =>
  `/v3/payment_requests/${encodeURIComponent(id)}`;

export function fetchPaymentRequest(
  client: RailClient,
  id: string,
  signal: AbortSignal,
): Promise<Reply> {
  const path = buildRequestPath(id);
  return sendRequest(client, { method: 'GET', path, headers: API_VERSION }, signal);
}

export function listRefunds(
  client: RailClient,
  paymentRequestId: string,
  signal: AbortSignal,
): Promise<Reply> {
  const query = new URLSearchParams({
    payment_request_id: paymentRequestId,
    limit: String(REFUNDS_LISTED),
  });
  const path = `/refunds?${query.toString()}`;
  return sendRequest(client, { method: 'GET', path }, signal);
}
