// Payment links as their makers call them.
import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { encodeBase32 } from '#actors/core/ids.js';
import type { Api, ApiAnswer } from '../api.js';

export const LINKS = '/v1/merchants/me/payment-links';
export const CARD = '4111 1111 1111 1111';

export const makeLink = (api: Api, body: object = {}): Promise<ApiAnswer> =>
  api.call(LINKS, {
    method: 'POST',
    body: { environment: 'TEST', title: 'Kelas memasak', amount: '150000', ...body },
  });
export const showLink = (api: Api, id: unknown): Promise<ApiAnswer> =>
  api.call(`${LINKS}/${String(id)}`);
export const changeLink = (api: Api, id: unknown, body: object): Promise<ApiAnswer> =>
  api.call(`${LINKS}/${String(id)}`, { method: 'PATCH', body });

export const makeToken = (): string => encodeBase32(randomBytes(16));

export function isRefused(t: Test, answer: ApiAnswer, code: string, param?: string): void {
  t.equal(answer.code, code, answer.text);
  if (param !== undefined) t.match(answer.body['error'], { param });
}
