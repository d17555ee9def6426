// The lock of the set-up: two starts in one checkout do not write at the same time.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from './commands.mjs';

const LOCK_WAIT_MS = 15 * 60_000;
const LOCK_POLL_MS = 200;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function tryLock(root, lock) {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') fail(`${root} cannot be written: ${error.message}`);
    return false;
  }
}

/** Removes the lock of a dead holder. A lock without a process id gets a second to receive one. */
function clearStaleLock(lock, waitedMs) {
  let pid = NaN;
  try {
    pid = Number(readFileSync(join(lock, 'pid'), 'utf8') || NaN);
  } catch {
    if (waitedMs < 1_000) return;
  }
  if (Number.isNaN(pid) ? waitedMs >= 1_000 : !isAlive(pid)) {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Runs `work` while this process alone holds the lock of the checkout `root`. */
export async function withLock(root, work) {
  const lock = join(root, '.prepare.lock');
  let waitedMs = 0;
  while (!tryLock(root, lock)) {
    // On standard error, since find-node.mjs prints its answer on standard output.
    if (waitedMs === 2_000) console.error('kasir: waiting for another set-up in this folder …');
    if (waitedMs > LOCK_WAIT_MS) fail(`another set-up holds ${lock} for too long.`);
    clearStaleLock(lock, waitedMs);
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
    waitedMs += LOCK_POLL_MS;
  }
  const unlock = () => rmSync(lock, { recursive: true, force: true });
  process.once('exit', unlock);
  for (const signal of SIGNALS) process.once(signal, stop);
  await work();
  for (const signal of SIGNALS) process.off(signal, stop);
  process.off('exit', unlock);
  unlock();
}

function stop(signal) {
  fail(`the set-up was stopped (${signal}). The next start goes on with it.`);
}
