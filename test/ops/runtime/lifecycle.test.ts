// How a process ends: releases in reverse order, once, in time; a bug ends it with 1.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import type { TestScope } from '#test/support/servers.js';

const RUNTIME = join(findPackageRoot(), 'dist/ops/runtime');

/** Runs `body` in a process of its own, with `lifecycle` in scope; ends with its code and output. */
function runProcess(t: TestScope, body: string): { child: ChildProcess; end: Promise<Ended> } {
  const source = `
    import { createLog } from ${JSON.stringify(join(RUNTIME, 'log.js'))};
    import { createLifecycle } from ${JSON.stringify(join(RUNTIME, 'lifecycle.js'))};
    const log = createLog({ logLevel: 'info' }, 'gateway');
    const lifecycle = createLifecycle({ process: 'gateway', shutdownMs: 300 }, log);
    setInterval(() => {}, 1000);
    ${body}
    lifecycle.ready();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const { stdout } = child;
  if (stdout === null) throw new Error('no output');
  let output = '';
  stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // 'close' does not come after a disconnect, so exit and the end of the output are awaited.
  const end = Promise.all([once(child, 'exit'), once(stdout, 'end')]).then(([[code]]) => ({
    code: code as number | null,
    output,
  }));
  return { child, end };
}

interface Ended {
  code: number | null;
  output: string;
}

const say = (word: string): string => `() => { console.log('released ${word}'); }`;

t.test('releases run in reverse order, once', async (t) => {
  const { child, end } = runProcess(
    t,
    `lifecycle.onStop('a', ${say('a')}); lifecycle.onStop('b', ${say('b')});`,
  );
  await once(child, 'message');
  child.kill('SIGTERM');
  child.kill('SIGINT');
  const { code, output } = await end;
  t.equal(code, 0);
  t.same(output.match(/released ./g), ['released b', 'released a']);
});

t.test('a process is ready from ready() until it begins to stop', async (t) => {
  const show = `console.log('is ready', lifecycle.isReady())`;
  const { child, end } = runProcess(
    t,
    `lifecycle.onStop('a', () => { ${show}; }); ${show}; setTimeout(() => { ${show}; process.send({}); }, 1);`,
  );
  await once(child, 'message');
  await once(child, 'message');
  child.kill('SIGTERM');
  const { output } = await end;
  t.same(output.match(/is ready \w+/g), ['is ready false', 'is ready true', 'is ready false']);
});

t.test('a release that fails does not keep the others from running', async (t) => {
  const { child, end } = runProcess(
    t,
    `lifecycle.onStop('a', ${say('a')}); lifecycle.onStop('b', () => { throw new Error('no'); });`,
  );
  await once(child, 'message');
  child.kill('SIGTERM');
  const { code, output } = await end;
  t.equal(code, 1);
  t.match(output, 'released a');
});

t.test('stopping has a bound', async (t) => {
  const { child, end } = runProcess(t, `lifecycle.onStop('a', () => new Promise(() => {}));`);
  await once(child, 'message');
  child.kill('SIGTERM');
  const { code, output } = await end;
  t.equal(code, 1);
  t.match(output, 'stopping took too long');
});

t.test('a process ends in order when its parent is gone', async (t) => {
  const { child, end } = runProcess(t, `lifecycle.onStop('a', ${say('a')});`);
  await once(child, 'message');
  child.disconnect();
  const { code, output } = await end;
  t.equal(code, 0);
  t.match(output, 'released a');
});

for (const bug of [
  'setTimeout(() => { throw new Error("bug"); })',
  'Promise.reject(Error("bug"))',
]) {
  t.test(`a bug ends the process: ${bug}`, async (t) => {
    const { end } = runProcess(t, bug);
    const { code, output } = await end;
    t.equal(code, 1);
    t.match(output, '"level":"fatal"');
  });
}
