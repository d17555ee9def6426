// The JSON schemas of the control: Fastify compiles a validator and a serialiser from them.
const nullable = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] });
const text = (maxLength: number): object => ({ type: 'string', maxLength });
const httpsUrl = { type: 'string', maxLength: 2048, pattern: '^https://' };

export const createBody = {
  type: 'object',
  additionalProperties: false,
  required: ['amount', 'currency'],
  properties: {
    amount: { type: 'string', pattern: '^[0-9]{1,15}$' },
    currency: { type: 'string', const: 'IDR' },
    description: nullable(text(500)),
    reference_id: nullable(text(128)),
    payment_method: nullable({ type: 'string', enum: ['QRIS', 'VA', 'VA_BCA', 'VA_BNI'] }),
    customer_name: nullable(text(128)),
    customer_email: nullable(text(254)),
    customer_phone: nullable(text(32)),
    success_url: nullable(httpsUrl),
    cancel_url: nullable(httpsUrl),
    metadata: { type: 'object', maxProperties: 20, additionalProperties: text(500) },
    expires_in: { type: 'integer', minimum: 60, maximum: 604_800 },
  },
};

export const createHeaders = {
  type: 'object',
  required: ['idempotency-key'],
  properties: { 'idempotency-key': { type: 'string', minLength: 1, maxLength: 255 } },
};

const string = { type: 'string' };
const stringOrNull = { type: ['string', 'null'] };

export const payment = {
  type: 'object',
  properties: {
    id: string,
    object: string,
    environment: string,
    status: string,
    amount: string,
    currency: string,
    description: stringOrNull,
    reference_id: stringOrNull,
    payment_method: stringOrNull,
    customer_name: stringOrNull,
    customer_email: stringOrNull,
    customer_phone: stringOrNull,
    success_url: stringOrNull,
    cancel_url: stringOrNull,
    checkout_url: string,
    order_id: string,
    refunded_amount: string,
    refundable_amount: string,
    failure_code: stringOrNull,
    late: { type: 'boolean' },
    metadata: { type: 'object', additionalProperties: string },
    created_at: string,
    expires_at: string,
    paid_at: stringOrNull,
    failed_at: stringOrNull,
    cancelled_at: stringOrNull,
    refunded_at: stringOrNull,
  },
};
