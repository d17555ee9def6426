// Slots are given out once at a time, and again after they were given back.
import t from 'tap';
import fc from 'fast-check';
import { Slots } from '#ops/runtime/slots.js';

t.test('a slot holds its value until it is given back', (t) => {
  const slots = new Slots<string>();
  const first = slots.put('first');
  const second = slots.put('second');
  t.not(first, second);
  t.equal(slots.get(first), 'first');
  slots.remove(first);
  slots.remove(first);
  t.equal(slots.get(first), undefined);
  t.equal(slots.size, 1, 'given back twice counts once');
  t.equal(slots.put('third'), first, 'used again');
  t.not(slots.put('fourth'), first, 'and only once');
  t.strictSame(slots.list().sort(), ['fourth', 'second', 'third']);
  t.end();
});

t.test('any sequence of put and remove leaves the values that a Map would hold', (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 12 })), (steps) => {
      const slots = new Slots<number>();
      const model = new Map<number, number>();
      steps.forEach((step, index) => {
        if (step < 8) {
          const slot = slots.put(index);
          if (model.has(slot)) throw new Error(`slot ${slot} is taken`);
          model.set(slot, index);
        } else {
          const slot = [...model.keys()][step - 8] ?? -1;
          slots.remove(slot);
          model.delete(slot);
        }
      });
      const held = slots.list().sort((a, b) => a - b);
      const wanted = [...model.values()].sort((a, b) => a - b);
      return slots.size === model.size && held.join() === wanted.join();
    }),
  );
  t.end();
});
