// TypeBox schemas as OpenAPI 3.1 schemas, which are JSON Schema: resources by reference, the rest inline, without the
// keywords of our own checks.
import type { TSchema } from '@sinclair/typebox';
import { Balance } from '#actors/core/schemas/balance.js';
import { ErrorSchema } from '#actors/core/schemas/fields.js';
import {
  EventEnvelope,
  PaymentEventDataSchema,
  PayoutEventDataSchema,
} from '#actors/core/schemas/event.js';
import { PaymentMethodSchema } from '#actors/core/schemas/payment-method.js';
import {
  CreatePaymentRequest,
  Payment,
  SandboxPayment,
  SimulateRequest,
} from '#actors/core/schemas/payment.js';
import { CreatePayoutRequest, Payout } from '#actors/core/schemas/payout.js';
import { CreateRefundRequest, Refund } from '#actors/core/schemas/refund.js';
import { Me, Merchant, Session, User } from '../accounts/schema.js';
import { ApiKey, NewApiKey } from '../api-keys/schema.js';
import { Kyc, KycDocument } from '../kyc/schema.js';
import { Delivery, Endpoint, NewEndpoint } from '../webhook-endpoints/schema.js';
import { CheckoutStatus, ChooseMethodRequest } from '../checkout/schema.js';

export type Json = Readonly<Record<string, unknown>>;

const NAMED: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [CreatePaymentRequest, 'CreatePaymentRequest'],
  [Payment, 'Payment'],
  [CreateRefundRequest, 'CreateRefundRequest'],
  [Refund, 'Refund'],
  [CreatePayoutRequest, 'CreatePayoutRequest'],
  [Payout, 'Payout'],
  [PaymentMethodSchema, 'PaymentMethod'],
  [Balance, 'Balance'],
  [EventEnvelope, 'Event'],
  [PaymentEventDataSchema, 'PaymentEventData'],
  [PayoutEventDataSchema, 'PayoutEventData'],
  [SimulateRequest, 'SimulateRequest'],
  [SandboxPayment, 'SandboxPayment'],
  [CheckoutStatus, 'CheckoutStatus'],
  [ChooseMethodRequest, 'ChooseMethodRequest'],
  [Merchant, 'Merchant'],
  [Me, 'MerchantOfSession'],
  [User, 'User'],
  [Session, 'Session'],
  [ApiKey, 'ApiKey'],
  [NewApiKey, 'NewApiKey'],
  [KycDocument, 'KycDocument'],
  [Kyc, 'Kyc'],
  [Endpoint, 'WebhookEndpoint'],
  [NewEndpoint, 'NewWebhookEndpoint'],
  [Delivery, 'WebhookDelivery'],
  [ErrorSchema, 'Error'],
]);
const OWN_KEYWORDS = new Set(['errorCode', 'errorMessage']);

/** The schemas of all resources, by name. */
export function describeComponents(): Json {
  return Object.fromEntries(
    [...NAMED].map(([schema, name]) => [name, describeKeywords(schema as TSchema)]),
  );
}

export function buildRef(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

export function describeSchema(schema: TSchema): Json {
  const name = NAMED.get(schema);
  return name === undefined ? describeKeywords(schema) : buildRef(name);
}

function describeKeywords(schema: TSchema): Json {
  const entries = Object.entries(schema)
    .filter(([keyword]) => !OWN_KEYWORDS.has(keyword))
    .map(([keyword, value]) => [keyword, describeValue(value)]);
  return Object.fromEntries(entries) as Json;
}

function describeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(describeValue);
  if (typeof value !== 'object' || value === null) return value;
  return describeSchema(value as TSchema);
}
