// An id of another merchant takes as long to answer as an unknown id, so that nobody learns from the time which ids exist.
import t from 'tap';
import {
  ask,
  FOREIGN_ROUTES,
  makeUnknownId,
  openForeignIds,
} from '#test/support/http/foreign-ids.js';
import { compareTimes, isNear, median } from '#test/support/http/timing.js';

const TURNS = 15;
/** A row outside its bound is measured anew so often: the noise of a busy machine goes away, a query or a hash stays. */
const MEASURED_ANEW = 5;
/** Bounds of the time ratio, for the median of all routes and for one route: noise stays far below, a query or a hash is above. */
const NO_TELL = 1.4;
const NO_TELL_OF_A_ROW = 3;

const { otherMerchant, makeObject } = await openForeignIds(t);
const made = new Map<string, string>();

t.test('an id of another merchant takes as long as an unknown id', async (t) => {
  const ratios: number[] = [];
  for (const route of FOREIGN_ROUTES) {
    const name = Object.keys(route.params).join();
    const id = made.get(name) ?? (await makeObject(route));
    made.set(name, id);
    const api = route.auth === 'key' ? otherMerchant.test : otherMerchant.session;
    const compare = () =>
      compareTimes(
        () => ask(api, route, id),
        () => ask(api, route, makeUnknownId(id)),
        TURNS,
      );
    let ratio = await compare();
    for (let left = MEASURED_ANEW; left > 0 && !isNear(ratio, NO_TELL_OF_A_ROW); left -= 1) {
      ratio = await compare();
    }
    ratios.push(ratio);
  }
  const typical = median(ratios);
  t.ok(isNear(typical, NO_TELL), `typically ${typical.toFixed(2)} times as long`);
  t.same(
    FOREIGN_ROUTES.filter((_, index) => !isNear(ratios[index] ?? 0, NO_TELL_OF_A_ROW)).map(
      ({ path }) => path,
    ),
    [],
    ratios.map((ratio) => ratio.toFixed(1)).join(' '),
  );
});
