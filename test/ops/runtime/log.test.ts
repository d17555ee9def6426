// Log lines and those who read them: whoever is gone, behind or out of disk stops nobody.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { createLog, LineOutput } from '#ops/runtime/log.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';

const RUNTIME = join(findPackageRoot(), 'dist/ops/runtime');
const failWith = (code: string): never => {
  throw Object.assign(new Error(code), { code });
};

/** A reader that takes at most `room` bytes, until it is given more. */
function openReader() {
  const reader = { room: 0, text: '', trouble: 'EAGAIN', asked: 0 };
  const output = new LineOutput((bytes, from) => {
    reader.asked += 1;
    if (reader.room === 0) return failWith(reader.trouble);
    const taken = bytes.subarray(from, from + reader.room);
    reader.room -= taken.length;
    reader.text += taken.toString();
    return taken.length;
  });
  return { reader, output };
}

t.test('a line that is not taken is dropped, and counted for the next', (t) => {
  for (const trouble of ['EAGAIN', 'EPIPE', 'ECONNRESET', 'ENOSPC']) {
    const { reader, output } = openReader();
    reader.trouble = trouble;
    output.write('{"n":1}\n');
    output.write('{"n":2}\n');
    reader.room = 1_000;
    output.write('{"n":3}\n');
    output.write('{"n":4}\n');
    const lines = reader.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as object);
    t.match(lines, [{ level: 'warn', lines: 2, pid: process.pid }, { n: 3 }, { n: 4 }], trouble);
    t.equal(lines.length, 3);
  }
  t.end();
});

t.test('one that is behind is waited for once, not by each line', (t) => {
  const { reader, output } = openReader();
  output.write('1\n');
  t.ok(reader.asked > 1);
  const asked = reader.asked;
  output.write('2\n');
  t.equal(reader.asked, asked + 1);
  t.end();
});

t.test('a line that was cut ends before the next begins', (t) => {
  const { reader, output } = openReader();
  reader.room = 3;
  output.write('{"n":1}\n');
  reader.room = 1_000;
  output.write('{"n":2}\n');
  const [cut, told = '', next = ''] = reader.text.split('\n');
  t.equal(cut, '{"n');
  t.match(JSON.parse(told), { lines: 1 });
  t.strictSame(JSON.parse(next), { n: 2 });
  t.end();
});

t.test('a process whose reader is gone ends, and says so with its code', async (t) => {
  const source = `
    import { createLog } from ${JSON.stringify(join(RUNTIME, 'log.js'))};
    import { createLifecycle } from ${JSON.stringify(join(RUNTIME, 'lifecycle.js'))};
    const log = createLog({ logLevel: 'info' }, 'gateway');
    const lifecycle = createLifecycle({ process: 'gateway', shutdownMs: 5_000 }, log);
    process.once('SIGUSR2', () => { throw new Error('a bug'); });
    setInterval(() => log.info('more'), 1);
    lifecycle.ready();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await once(child, 'message');
  // With lines in it that nobody has read: the next is answered by ECONNRESET, those behind it by EPIPE.
  child.stdout?.pause();
  child.stdout?.destroy();
  child.kill('SIGUSR2');
  const [code] = (await ended) as [number | null];
  t.equal(code, 1);
});

t.test('a line is JSON with who says it, without secrets', (t) => {
  const written: string[] = [];
  const log = createLog({ logLevel: 'info' }, 'gateway', {
    write: (line: string) => void written.push(line),
  });
  log.warn({ password: 'hidden', of: { token: 'hidden' } }, 'trouble');
  log.debug('nothing');
  t.match(
    written.map((line) => JSON.parse(line) as object),
    [{ level: 'warn', process: 'gateway', pid: process.pid, msg: 'trouble' }],
  );
  t.notMatch(written.join(''), 'hidden');
  t.end();
});
