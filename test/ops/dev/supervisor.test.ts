// A program that dies is restarted; a stopped program stays down.
import t from 'tap';
import type { Program } from '#ops/dev/launch/program.js';
import { supervise, type Supervised } from '#ops/dev/launch/supervisor.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { TestScope } from '#test/support/servers.js';

function program(source: string): Program {
  return {
    name: 'sample',
    command: process.execPath,
    args: ['-e', source],
    env: { PATH: process.env['PATH'] },
    output: 'pipe',
    hasChannel: true,
    stopSignal: 'SIGTERM',
    stopMs: 500,
  };
}

interface Seen {
  readonly supervised: Supervised;
  readonly pids: number[];
  readonly lines: string[];
  readonly messages: unknown[];
}

function watch(t: TestScope, source: string): Seen {
  const seen = { pids: [] as number[], lines: [] as string[], messages: [] as unknown[] };
  const supervised = supervise('sample', () => program(source), {
    report: (line) => seen.lines.push(line),
    onStart: (_name, pid) => seen.pids.push(pid),
    onMessage: (_name, message) => seen.messages.push(message),
  });
  t.teardown(() => supervised.stop());
  return { ...seen, supervised };
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

t.test('a program that dies is started again, at once', async (t) => {
  const { supervised, pids, lines, messages } = watch(
    t,
    'process.send("up"); setInterval(() => {}, 1000)',
  );
  await waitUntil('it runs', () => messages.length === 1);
  process.kill(pids[0] ?? 0, 'SIGKILL');
  await waitUntil('it runs again', () => messages.length === 2);
  t.equal(pids.length, 2);
  t.equal(supervised.pid(), pids[1]);
  t.same(lines, ['sample ended (SIGKILL), started again']);
  await supervised.stop();
  t.ok(pids.every(isGone));
  t.equal(supervised.pid(), null);
});

t.test('one that keeps dying waits longer each time', async (t) => {
  const { supervised, lines } = watch(t, 'process.exit(3)');
  await waitUntil('it died four times', () => lines.length === 4);
  await supervised.stop();
  t.same(lines, [
    'sample ended (code 3), started again',
    'sample ended (code 3), started again in 250 ms',
    'sample ended (code 3), started again in 500 ms',
    'sample ended (code 3), started again in 1000 ms',
  ]);
});

t.test('one that does not stop is killed', async (t) => {
  const { supervised, pids, messages } = watch(
    t,
    'process.on("SIGTERM", () => {}); process.send("up"); setInterval(() => {}, 1000)',
  );
  await waitUntil('it runs', () => messages.length === 1);
  await supervised.stop();
  t.ok(pids.every(isGone));
});
