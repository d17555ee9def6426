// Callbacks of the dummy rail: the header `x-dummy-signature` is the HMAC of the body.
import { createHmac } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { CallbackReading, RawCallback } from '#actors/rails/adapters/rail.js';
import { buildDedupeKey, isSameSecret, parseJson } from '#actors/rails/adapters/wire.js';

export const SIGNATURE_HEADER = 'x-dummy-signature';
const Paid = TypeCompiler.Compile(Type.Object({ order: Type.String() }));

export function signCallback(body: Buffer | string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

export function readDummyCallback({ headers, body }: RawCallback, secret: string): CallbackReading {
  const given = headers[SIGNATURE_HEADER] ?? '';
  if (!isSameSecret(given, signCallback(body, secret))) return { result: 'forged' };
  const read = parseJson(body);
  if (!Paid.Check(read)) return { result: 'malformed' };
  return {
    result: 'genuine',
    dedupeKey: buildDedupeKey([read.order]),
    subject: { kind: 'order', orderId: read.order, railReference: null },
    reports: 'settled',
    money: null,
  };
}
