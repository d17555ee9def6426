// A written amount is read as it was meant, or not at all: never as another amount.
import t from 'tap';
import { readWrittenNumber } from '#actors/core/written-number.js';
import { WRITTEN_NUMBERS } from '../support/written-numbers.js';

for (const [text, digits] of WRITTEN_NUMBERS) {
  t.test(`${JSON.stringify(text)} is ${digits ?? 'refused'}`, (t) => {
    t.equal(readWrittenNumber(text), digits ?? undefined);
    t.end();
  });
}
