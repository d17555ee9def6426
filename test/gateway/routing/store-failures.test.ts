// An outage is 503 and a bug 500, also when the error of the bug has a code.
import t from 'tap';
import { mapStoreFailure } from '#gateway/routing/store-failures.js';
import { DeadlineError } from '#ops/runtime/deadline.js';

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

t.test("Node's own errors of wrong arguments are bugs", (t) => {
  for (const work of [() => new URL('nonsense'), () => Buffer.alloc(-1), () => null as never]) {
    const error = catchError(work);
    t.equal(mapStoreFailure(error), undefined, String(error));
  }
  t.end();
});

t.test('a connection that is lost, and a deadline, are outages', (t) => {
  const lost = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
  for (const error of [lost, new DeadlineError(5_000)]) {
    t.match(mapStoreFailure(error), { code: 'dependency_unavailable' }, error.message);
  }
  t.end();
});
