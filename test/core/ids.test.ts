import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import {
  createIdDeriver,
  encodeBase32,
  deriveEventId,
  type IdempotencyScope,
  makeId,
  deriveOrderId,
  parseApprovalId,
  parsePasskeyId,
  parseDocumentId,
  parseErasureId,
  parseEventId,
  parseInvoiceId,
  parseKeyId,
  parseMerchantId,
  parseOrderId,
  parsePaymentId,
  parsePaymentLinkId,
  parsePayoutId,
  parseRefundId,
  parseSessionId,
  parseUserId,
  formatTransitionKey,
} from '#actors/core/ids.js';

const bytes16 = fc.uint8Array({ minLength: 16, maxLength: 16 });
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Decodes by the definition of base 32. */
function valueOf(text: string): bigint {
  return [...text].reduce((value, digit) => value * 32n + BigInt(ALPHABET.indexOf(digit)), 0n);
}

t.test('base32 encodes 128 bits as a number of 26 digits', (t) => {
  t.equal(encodeBase32(new Uint8Array(16)), '0'.repeat(26));
  t.equal(encodeBase32(new Uint8Array(16).fill(255)), `7${'z'.repeat(25)}`);
  fc.assert(
    fc.property(bytes16, (bytes) => {
      const expected = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
      return valueOf(encodeBase32(bytes)) === expected;
    }),
  );
  t.throws(() => encodeBase32(new Uint8Array(15)), /16 bytes, not 15/);
  t.throws(() => encodeBase32(new Uint8Array(17)), /16 bytes, not 17/);
  t.end();
});

t.test('each parser accepts its own ids and no others', (t) => {
  const parsers = {
    pay: parsePaymentId,
    ref: parseRefundId,
    po: parsePayoutId,
    mer: parseMerchantId,
    key: parseKeyId,
    usr: parseUserId,
    ses: parseSessionId,
    doc: parseDocumentId,
    plink: parsePaymentLinkId,
    inv: parseInvoiceId,
    era: parseErasureId,
    appr: parseApprovalId,
    pkey: parsePasskeyId,
  } as const;
  const prefixes = Object.keys(parsers) as (keyof typeof parsers)[];
  for (const prefix of prefixes) {
    const id = makeId(prefix, new Uint8Array(16).fill(7));
    for (const other of prefixes) {
      t.equal(parsers[other](id), other === prefix ? id : undefined, `${other} reads ${prefix}`);
    }
  }
  t.end();
});

t.test('other spellings of an id are rejected', (t) => {
  const id = makeId('pay', new Uint8Array(16).fill(200));
  const wrong = [
    id.toUpperCase(),
    `${id} `,
    ` ${id}`,
    `${id}\n`,
    id.slice(0, -1),
    `${id}0`,
    `pay_8${id.slice(5)}`,
    `pay_${'i'.repeat(26)}`,
    `pay_0${'u'.repeat(25)}`,
    `pay-${id.slice(4)}`,
    '',
  ];
  for (const text of wrong) t.equal(parsePaymentId(text), undefined, JSON.stringify(text));
  t.end();
});

const KEY = Buffer.alloc(32, 9);
const SCOPE: IdempotencyScope = {
  merchantId: makeId('mer', new Uint8Array(16).fill(1)),
  environment: 'TEST',
  kind: 'payment',
  idempotencyKey: 'order-1',
};

t.test('an id derived from a key is equal for equal scopes only', (t) => {
  const derive = createIdDeriver(KEY);
  const bytes = derive(SCOPE);
  t.equal(bytes.length, 16);
  const text = `1:4:TEST:7:payment:30:${SCOPE.merchantId}:order-1`;
  const hmac = createHmac('sha256', KEY).update(text).digest();
  t.same(bytes, hmac.subarray(0, 16), 'the form never changes');
  t.same(derive({ ...SCOPE }), bytes, 'equal for equal scopes');
  const others: readonly Partial<IdempotencyScope>[] = [
    { merchantId: makeId('mer', new Uint8Array(16).fill(2)) },
    { environment: 'LIVE' },
    { kind: 'refund' },
    { kind: 'payout' },
    { idempotencyKey: 'order-2' },
    { idempotencyKey: 'order-1 ' },
  ];
  for (const other of others) {
    t.notSame(derive({ ...SCOPE, ...other }), bytes, JSON.stringify(other));
  }
  t.throws(() => createIdDeriver(Buffer.alloc(65)), /longer than a block/);
  const long = '~'.repeat(255);
  const whole = createHmac('sha256', KEY).update(text.replace('order-1', long)).digest();
  t.same(derive({ ...SCOPE, idempotencyKey: long }), whole.subarray(0, 16));
  t.notSame(createIdDeriver(Buffer.alloc(32, 8))(SCOPE), bytes, 'another installation');
  t.end();
});

t.test('an event id contains the payment and the version', (t) => {
  fc.assert(
    fc.property(bytes16, fc.integer({ min: 1, max: 32 ** 4 - 1 }), (bytes, version) => {
      const paymentId = makeId('pay', bytes);
      const id = deriveEventId(paymentId, version);
      const parsed = parseEventId(id);
      return parsed?.paymentId === paymentId && parsed.version === version && id.length === 34;
    }),
  );
  const payoutId = makeId('po', new Uint8Array(16).fill(7));
  const parsed = parseEventId(deriveEventId(payoutId, 2));
  t.match(parsed, { payoutId, version: 2 }, 'or the payout');
  const paymentId = makeId('pay', new Uint8Array(16));
  t.equal(deriveEventId(paymentId, 1), `evt_${'0'.repeat(26)}0001`);
  t.equal(deriveEventId(paymentId, 1025), `evt_${'0'.repeat(26)}0101`);
  t.equal(formatTransitionKey(paymentId, 33), `${'0'.repeat(26)}0011`);
  for (const version of [0, -1, 1.5, NaN, 32 ** 4]) {
    t.throws(() => deriveEventId(paymentId, version), RangeError, String(version));
  }
  for (const text of [
    '',
    `evt_${'0'.repeat(30)}`,
    `evt_${'0'.repeat(29)}`,
    `evt_8${'0'.repeat(29)}`,
  ]) {
    t.equal(parseEventId(text), undefined, text);
  }
  t.end();
});

t.test('each attempt has its own order id, a UUID of version 8', (t) => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(bytes16, fc.integer({ min: 1, max: 20 }), (bytes, attempt) => {
      const paymentId = makeId('pay', bytes);
      const id = deriveOrderId(paymentId, attempt);
      seen.add(id.charAt(19));
      return parseOrderId(id) === id && deriveOrderId(paymentId, attempt) === id;
    }),
    { numRuns: 500 },
  );
  t.same([...seen].sort(), ['8', '9', 'a', 'b'], 'every variant of the UUID form');
  const paymentId = makeId('pay', new Uint8Array(16));
  const ids = Array.from({ length: 50 }, (_, index) => deriveOrderId(paymentId, index + 1));
  t.equal(new Set(ids).size, 50);
  t.equal(deriveOrderId(paymentId, 1), '643f6368-22bd-8294-87d2-8ee69e1bcc95', 'never changes');
  t.equal(parseOrderId('643f6368-22bd-4294-87d2-8ee69e1bcc95'), undefined);
  t.equal(parseOrderId(String(ids[0]).toUpperCase()), undefined);
  t.end();
});
