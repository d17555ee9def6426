// Progress of long commands: one line that a terminal rewrites, and few lines elsewhere.
import { mock } from 'node:test';
import t, { type Test } from 'tap';
import { writeDiagnostic } from '#ops/cli/base/output.js';
import { withProgress } from '#ops/cli/base/progress.js';
import { openPostgres } from '#store/postgres/client.js';
import type { TellProgress } from '#store/postgres/progress.js';
import { AS_TERMINAL, runKasir } from '#test/support/kasir.js';
import { createDatabase } from '#test/support/servers.js';

const CLEAR = '\r\u001b[K';
const TICK_MS = 200;
const LOG_MS = 10_000;

interface Terminal {
  readonly isTTY: boolean;
  readonly columns: number;
}

/** Gives this process another standard error and another clock. Returns what is written. */
function replaceStderr(t: Test, { isTTY, columns }: Terminal): string[] {
  const { stderr } = process;
  const former = { isTTY: stderr.isTTY, columns: stderr.columns };
  const written: string[] = [];
  mock.timers.enable({ apis: ['setInterval'] });
  mock.method(stderr, 'write', (text: string) => written.push(text) > 0);
  Object.assign(stderr, { isTTY, columns });
  t.teardown(() => {
    mock.reset();
    Object.assign(stderr, former);
  });
  return written;
}

const work = (begin: (tell: TellProgress) => void): Promise<void> =>
  withProgress((tell) => {
    begin(tell);
    return Promise.resolve();
  });

t.test('a terminal shows one line, rewrites it and clears it at the end', async (t) => {
  const written = replaceStderr(t, { isTTY: true, columns: 80 });
  await work((tell) => {
    tell({ step: 'balances (1 of 2)' });
    t.strictSame(written, [], 'nothing is written before the first tick');
    mock.timers.tick(TICK_MS);
    for (let done = 1; done <= 1_000; done += 1) tell({ step: 'rows', done, total: 2_000 });
    mock.timers.tick(TICK_MS);
    mock.timers.tick(TICK_MS * 5);
  });
  const half = `${'#'.repeat(15)}${'.'.repeat(15)}`;
  t.strictSame(written, [
    `${CLEAR}balances (1 of 2)`,
    `${CLEAR}[${half}] rows: 1000 of 2000`,
    CLEAR,
  ]);
});

t.test('another output clears the line, which comes back', async (t) => {
  const written = replaceStderr(t, { isTTY: true, columns: 80 });
  await work((tell) => {
    tell({ step: 'rows', done: 3 });
    mock.timers.tick(TICK_MS);
    writeDiagnostic('a finding');
    mock.timers.tick(TICK_MS);
  });
  t.strictSame(written, [`${CLEAR}rows: 3`, CLEAR, 'a finding\n', `${CLEAR}rows: 3`, CLEAR]);
});

t.test('a line that is wider than the terminal is cut', async (t) => {
  const written = replaceStderr(t, { isTTY: true, columns: 6 });
  await work((tell) => {
    tell({ step: 'functions' });
    mock.timers.tick(TICK_MS);
  });
  t.equal(written[0], `${CLEAR}funct`);
});

t.test('the line is cleared before the error of a command', async (t) => {
  const written = replaceStderr(t, { isTTY: true, columns: 80 });
  const failing = withProgress((tell) => {
    tell({ step: 'rows' });
    mock.timers.tick(TICK_MS);
    return Promise.reject(new Error('the server is away'));
  });
  await t.rejects(failing, /is away/);
  t.equal(written.at(-1), CLEAR);
});

t.test('without a terminal a line is added every ten seconds', async (t) => {
  const written = replaceStderr(t, { isTTY: false, columns: 80 });
  await work((tell) => {
    tell({ step: 'balances' });
    mock.timers.tick(LOG_MS - 1);
    t.strictSame(written, [], 'a short command writes nothing');
    tell({ step: 'payments', done: 500, total: 900, isEstimated: true });
    mock.timers.tick(1);
    mock.timers.tick(LOG_MS);
    tell({ step: 'payouts', done: 1, total: 0, isEstimated: true });
    mock.timers.tick(LOG_MS);
  });
  const bar = `${'#'.repeat(16)}${'.'.repeat(14)}`;
  t.strictSame(written, [`[${bar}] payments: 500 of about 900\n`, 'payouts: 1\n']);
});

t.test('kasir reconcile shows step and matches on stderr, and JSON alone on stdout', async (t) => {
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  await sql`
    insert into rail_reconciliations (rail, day, step, matched)
    values ('midtrans', '2026-08-02', 'ask', 120)`;
  const options = ['--date', '2026-08-02', '--rail', 'midtrans', '--wait', '1', '--json'];
  const variables = { DATABASE_URL: databaseUrl, ...AS_TERMINAL };
  const { code, stdout, stderr } = await runKasir(variables, 'reconcile', ...options);
  t.equal(code, 1);
  t.match(JSON.parse(stdout), { rail: 'midtrans', matched: 120, isEnded: false });
  t.equal(stderr, `${CLEAR}matched (asking midtrans): 120${CLEAR}`);
});
