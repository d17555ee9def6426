// Decoding returns the encoded value.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { decodeCommand, encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeRailCall, encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot, encodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { encodeEvent } from '#actors/core/payment/wire/event.js';
import { formatPayment, isSnapshotOf } from '#actors/core/payment/wire/answer.js';
import { viewPayment } from '#actors/core/payment/view.js';
import type { PaymentBody } from '#actors/core/schemas/payment.js';
import { anyCommand, story } from './commands.js';
import { live } from './live.js';

t.test('any command is unchanged by encoding and decoding', (t) => {
  fc.assert(
    fc.property(anyCommand, (command) => {
      assert.deepStrictEqual(decodeCommand(encodeCommand(command)), command);
    }),
    { numRuns: 1000 },
  );
  t.end();
});

t.test('snapshots and rail calls of any story are unchanged by encoding and decoding', (t) => {
  fc.assert(
    fc.property(story, (commands) => {
      for (const { after, event, effects } of live(commands).flatMap((turn) => turn.moments)) {
        assert.deepStrictEqual(decodeSnapshot(encodeSnapshot(after)), after);
        const { checkout_url, ...shown } = JSON.parse(formatPayment(after, '')) as PaymentBody;
        assert.equal(checkout_url, `/checkout/${after.id}`);
        assert.deepStrictEqual(shown, viewPayment(after));
        assert.ok(isSnapshotOf(encodeSnapshot(after), after));
        for (const call of effects.railCalls) {
          assert.deepStrictEqual(decodeRailCall(encodeRailCall(call)), call);
        }
        if (event.type === 'payment_created') continue;
        assert.equal(typeof JSON.parse(encodeEvent(event)), 'object');
      }
    }),
    { numRuns: 200 },
  );
  t.end();
});
