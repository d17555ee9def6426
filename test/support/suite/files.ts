// A TAP program whose subtests are test files, each in a process of its own, some of them at a time.
//   files.js <at a time> <file>…
// tap loads a module hook into every process that a test starts, for coverage, by NODE_OPTIONS: a gateway then takes 1.8 s
// of CPU to start instead of 0.75, and the suite is mostly starts. `env` removes it.
import t from 'tap';

/** Ends a file that hangs. The longest takes three minutes on a slow machine, and as long again beside other work. */
const DEFAULT_TIMEOUT_S = 600;

const [atATime, ...files] = process.argv.slice(2);
const timeoutS = Number(process.env['TAP_TIMEOUT'] ?? DEFAULT_TIMEOUT_S);
t.setTimeout(0);
t.jobs = Number(atATime);
for (const file of files) {
  const args = ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', file];
  const env = { ...process.env, TAP_TIMEOUT: String(timeoutS) };
  void t.spawn('env', args, { buffered: true, timeout: timeoutS * 1000, env }, file);
}
