import t from 'tap';
import { explainWrongSource, isUnauthorized, NOT_SIGNED } from '#actors/core/quarantine-reasons.js';

t.test('reasons that say that no process of the installation may have sent a command', (t) => {
  t.equal(isUnauthorized(NOT_SIGNED), true);
  t.equal(isUnauthorized(explainWrongSource('gateway', 'charge_answered')), true);
  t.equal(isUnauthorized('the payment belongs to another partition'), false);
  t.end();
});
