// Signatures against constants computed by a library of another language, and the headers of an
// attempt.
import fc from 'fast-check';
import t from 'tap';
import {
  buildAttemptHeaders,
  formatSignatures,
  makeWebhookSecret,
  parseSignatures,
  signAttempt,
  signBody,
  buildSignedHeaders,
  signStandard,
} from '#actors/core/webhooks/sign.js';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const NEXT = 'whsec_/////////////////////////////////////////w==';
const BODY = Buffer.from('{"id":"evt_1","name":"Bu Sri – é"}', 'utf8');
const SIGNED = { id: 'evt_1', timestampS: 1_785_665_730, body: BODY };

t.test('a secret is whsec_ and base64 of 32 bytes', (t) => {
  t.equal(makeWebhookSecret(Uint8Array.from({ length: 32 }, (_, index) => index)), SECRET);
  t.throws(() => makeWebhookSecret(new Uint8Array(31)), RangeError);
  t.end();
});

t.test('X-Service-Signature covers the body with the whole secret as key', (t) => {
  t.equal(
    signBody(SECRET, BODY),
    '3cc0a68c4679b5378ae7eee14b5d8ffe9c7916521a2f280a961a12a4a4961aba',
  );
  t.end();
});

t.test('the signature of Standard Webhooks covers id, time and body', (t) => {
  t.equal(signStandard(SECRET, SIGNED), 'v1,ZFsVk+4qDitg1qTw6Aj65sEN3HUrNycVLJJoEYbLMAI=');
  t.end();
});

t.test('an attempt without a rotation has one signature', (t) => {
  const names = { brandHeader: 'Service', attempt: 3 };
  t.strictSame(buildSignedHeaders({ current: SECRET, next: null }, SIGNED, names), {
    'Content-Type': 'application/json',
    Accept: '*/*',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Service-Signature': '3cc0a68c4679b5378ae7eee14b5d8ffe9c7916521a2f280a961a12a4a4961aba',
    'X-Service-Timestamp': '1785665730',
    'X-Service-Event-Id': 'evt_1',
    'X-Service-Delivery-Attempt': '3',
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1785665730',
    'webhook-signature': 'v1,ZFsVk+4qDitg1qTw6Aj65sEN3HUrNycVLJJoEYbLMAI=',
  });
  t.end();
});

t.test('an attempt during an overlap has both signatures, under the brand’s header names', (t) => {
  const names = { brandHeader: 'Toko', attempt: 1 };
  t.match(buildSignedHeaders({ current: SECRET, next: NEXT }, SIGNED, names), {
    'User-Agent': 'Toko-Webhooks/1.0',
    'X-Toko-Signature': '3cc0a68c4679b5378ae7eee14b5d8ffe9c7916521a2f280a961a12a4a4961aba',
    'X-Toko-Signature-Next': 'ba451161075e32c727fcfdba36b77a450ff0b7bbe35fc6fc0486da4c40204cb9',
    'webhook-signature':
      'v1,ZFsVk+4qDitg1qTw6Aj65sEN3HUrNycVLJJoEYbLMAI= v1,g61T2zjD9aCYRoliMykidb3yQ39X0omfDdJR4keUqGw=',
  });
  t.end();
});

const SECRETS = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(makeWebhookSecret);

t.test('the headers that are stored are those that were sent, with any secrets', (t) => {
  fc.assert(
    fc.property(
      fc.record({ current: SECRETS, next: fc.option(SECRETS) }),
      fc.uint8Array(),
      fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,39}$/),
      fc.nat(),
      (secrets, body, brandHeader, timestampS) => {
        const signed = { id: 'evt_1', timestampS, body };
        const stored = formatSignatures(signAttempt(secrets, signed, brandHeader));
        const read = parseSignatures(stored);
        if (read === null) return false;
        t.strictSame(
          buildAttemptHeaders(read, { eventId: 'evt_1', attempt: 2 }),
          buildSignedHeaders(secrets, signed, { brandHeader, attempt: 2 }),
        );
        const texts = [secrets.current, secrets.next ?? secrets.current];
        return !texts.some((secret) => stored.includes(secret.slice('whsec_'.length)));
      },
    ),
  );
  t.end();
});

t.test('a stored text of another form has no headers', (t) => {
  const { own, standard } = signAttempt({ current: SECRET, next: null }, SIGNED, 'Service');
  for (const text of ['', 'Service', `Service 1 ${own}`, `Service 1 ${standard}`, `1 ${own} v1,`]) {
    t.equal(parseSignatures(text), null, text);
  }
  t.end();
});
