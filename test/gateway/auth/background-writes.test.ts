// Writes that no answer waits for: their bounds, their failures, and the end of the process.
import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import t from 'tap';
import { BackgroundWrites } from '#gateway/auth/background-writes.js';

const MAX_UNDER_WAY = 1_000;

function open() {
  const registry = new Registry();
  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  const readFailures = async (write: string): Promise<number> => {
    const page = await registry.metrics();
    const [, count] = new RegExp(`failed_total{write="${write}"} (\\d+)`).exec(page) ?? [];
    return Number(count);
  };
  return { writes: new BackgroundWrites({ registry, log }), warnings, readFailures };
}

t.test('a write that fails is logged and counted, and not repeated', async (t) => {
  const { writes, warnings, readFailures } = open();
  t.equal(await readFailures('failed_login'), 0, 'the series begins at 0');
  let runs = 0;
  writes.begin('failed_login', () => {
    runs += 1;
    return Promise.reject(new Error('Postgres is away'));
  });
  await writes.settle();
  t.equal(runs, 1);
  t.equal(await readFailures('failed_login'), 1);
  t.match(warnings, [{ err: { message: 'Postgres is away' }, write: 'failed_login' }]);
});

t.test('writes of one kind beyond the limit are given up, and no others', async (t) => {
  const { writes, readFailures } = open();
  let end = (): void => undefined;
  const stall = new Promise<void>((resolve) => {
    end = resolve;
  });
  for (let index = 0; index < MAX_UNDER_WAY + 3; index += 1)
    writes.begin('reset_mail', () => stall);
  t.equal(await readFailures('reset_mail'), 3);
  let isWritten = false;
  writes.begin('failed_login', async () => {
    await stall;
    isWritten = true;
  });
  let isSettled = false;
  const settled = writes.settle().then(() => {
    isSettled = true;
  });
  await setImmediate();
  t.equal(isSettled, false, 'a stop waits for them');
  end();
  await settled;
  t.equal(isWritten, true);
  t.equal(await readFailures('failed_login'), 0);
  writes.begin('reset_mail', () => Promise.resolve());
  await writes.settle();
  t.equal(await readFailures('reset_mail'), 3, 'there is room again');
});
