// One start per folder, and what a killed start left behind is ended by the next one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { claimFolder } from '#ops/dev/launch/process-records.js';
import { makeFolder, type TestScope } from '#test/support/servers.js';

const silent = (): void => {};

function startSleeper(t: TestScope): ChildProcess {
  const child = spawn('sleep', ['300'], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

function readFile(folder: string): { pid: number; began: string; children: { pid: number }[] } {
  const text = readFileSync(join(folder, 'processes.json'), 'utf8');
  return JSON.parse(text) as ReturnType<typeof readFile>;
}

t.test('a folder is taken once, and given back', async (t) => {
  const folder = makeFolder(t);
  const records = await claimFolder(folder, silent);
  t.equal(statSync(join(folder, 'processes.json')).mode & 0o777, 0o600);
  await t.rejects(claimFolder(folder, silent), /another npm start/);
  records.release();
  (await claimFolder(folder, silent)).release();
  t.notOk(existsSync(join(folder, 'processes.json')));
});

t.test('processes of a killed start are ended', async (t) => {
  const folder = makeFolder(t);
  const child = startSleeper(t);
  const records = await claimFolder(folder, silent);
  records.add('gateway', child.pid ?? 0);
  // As it is after kill -9 of the start: the file says a process that is no more.
  const file = readFile(folder);
  writeFileSync(join(folder, 'processes.json'), JSON.stringify({ ...file, began: 'long ago' }));
  const lines: string[] = [];
  const ended = once(child, 'exit');
  (await claimFolder(folder, (line) => lines.push(line))).release();
  t.same((await ended)[1], 'SIGTERM');
  t.match(lines, [/ending gateway/]);
});

t.test('a number that belongs to somebody else by now is left alone', async (t) => {
  const folder = makeFolder(t);
  const child = startSleeper(t);
  const other = { name: 'gateway', pid: child.pid, began: '1' };
  const file = { name: 'npm start', pid: process.pid, began: '1', parent: 1, children: [other] };
  writeFileSync(join(folder, 'processes.json'), JSON.stringify(file));
  mkdirSync(join(folder, 'postgres'));
  writeFileSync(join(folder, 'postgres', 'postmaster.pid'), `${child.pid}\n`);
  (await claimFolder(folder, silent)).release();
  t.equal(child.exitCode, null);
  t.equal(child.signalCode, null);
  t.notOk(existsSync(join(folder, 'postgres', 'postmaster.pid')));
});

t.test('a file that was half written is no obstacle', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'processes.json'), '{"name":');
  (await claimFolder(folder, silent)).release();
});
