// A TAP program whose subtests are programs of test files, each in a process of its own, some of them at a time.
//   files.js <at a time> <group>…        a group is a compiled file, or several with commas between them, which share a process
// tap loads a module hook into every process that a test starts, for coverage, by NODE_OPTIONS: a gateway, before it was
// bundled, took 1.8 s of CPU to start instead of 0.75, and the suite is mostly starts. `env` removes it.
import { fileURLToPath } from 'node:url';
import t from 'tap';

/** Ends a file that hangs. The longest builds the image of containers, which takes ten minutes beside other work on a busy machine. */
const DEFAULT_TIMEOUT_S = 1800;
const TOGETHER = fileURLToPath(new URL('./together.js', import.meta.url));

const [atATime, ...groups] = process.argv.slice(2);
const timeoutS = Number(process.env['TAP_TIMEOUT'] ?? DEFAULT_TIMEOUT_S);
t.setTimeout(0);
t.jobs = Number(atATime);
for (const group of groups) {
  const files = group.split(',');
  const [file = ''] = files;
  const program = files.length > 1 ? [TOGETHER, ...files] : [file];
  const args = ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', ...program];
  const env = { ...process.env, TAP_TIMEOUT: String(timeoutS) };
  const title = files.length > 1 ? `${file} and ${files.length - 1} others` : file;
  void t.spawn('env', args, { buffered: true, timeout: timeoutS * 1000, env }, title);
}
