// Whether an attestation object has none is found without a parser, so bytes of a stranger cannot keep it busy or end it.
import fc from 'fast-check';
import t from 'tap';
import { isWithoutAttestation } from '#gateway/accounts/users/passkey-ceremonies.js';
import { encodeBytes, encodeText } from '#test/support/http/authenticator.js';

const FORMAT = Buffer.concat([encodeText('fmt'), encodeText('none')]);
const STATEMENT = Buffer.concat([encodeText('attStmt'), Buffer.from([0xa0])]);
const DATA = Buffer.concat([encodeText('authData'), encodeBytes(Buffer.alloc(100, 1))]);
const LONG_DATA = Buffer.concat([
  ...[encodeText('authData'), Buffer.from([0x59, 0x02, 0x00]), Buffer.alloc(512, 1)],
]);

const VALID = Buffer.concat([Buffer.from([0xa3]), FORMAT, STATEMENT, DATA]);

const check = (...parts: readonly Buffer[]): boolean =>
  isWithoutAttestation(Buffer.concat([Buffer.from([0xa3]), ...parts]).toString('base64url'));

t.test('an object without attestation has three known entries, in any order', (t) => {
  t.ok(check(FORMAT, STATEMENT, DATA));
  t.ok(check(FORMAT, STATEMENT, LONG_DATA));
  t.ok(check(LONG_DATA, FORMAT, STATEMENT));
  t.ok(check(STATEMENT, DATA, FORMAT));
  t.end();
});

t.test('anything else has one, or cannot be read', (t) => {
  const cases = {
    'another format': check(
      ...[encodeText('fmt'), encodeText('packed'), encodeText('attStmt')],
      ...[Buffer.from([0xa0]), DATA],
    ),
    'a statement': check(FORMAT, encodeText('attStmt'), Buffer.from('a16178a0', 'hex'), DATA),
    'one entry twice': check(FORMAT, FORMAT, DATA),
    'no data': check(FORMAT, STATEMENT),
    'data that ends too early': check(FORMAT, STATEMENT, DATA.subarray(0, -1)),
    'data without a length': check(FORMAT, STATEMENT, encodeText('authData')),
    'bytes behind it': check(FORMAT, STATEMENT, DATA, Buffer.from([0])),
    'another character': isWithoutAttestation(`!${VALID.toString('base64url')}`),
    'no text': isWithoutAttestation(undefined),
  };
  for (const [name, found] of Object.entries(cases)) t.notOk(found, name);
  t.end();
});

t.test('any bytes are judged', (t) => {
  const piece = fc.oneof(
    fc.constantFrom(FORMAT, STATEMENT, DATA, encodeText('authData')),
    fc.uint8Array({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const isFound = check(...pieces.map((each) => Buffer.from(each)));
      return (
        !isFound || [FORMAT, STATEMENT].every((each) => pieces.some((one) => each.equals(one)))
      );
    }),
  );
  t.end();
});
