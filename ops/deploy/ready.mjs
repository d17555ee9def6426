// Asks a process on its metrics port whether it is ready, and exits with 0 if it is. The image has it as its health check.
// systemd runs it with the id of the process after each start, so that `systemctl start` ends when the process serves: it then
// waits until the process is ready, or has ended.
//   ready.mjs <METRICS_HOST> <METRICS_PORT> [<process id>]
import { get } from 'node:http';

const [host, port, pid] = process.argv.slice(2);
const ANSWER_MS = 3_000;
const POLL_MS = 200;

const isReady = () =>
  new Promise((resolve) => {
    const request = get({ host, port, path: '/readyz', timeout: ANSWER_MS }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });

function isAlive() {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

while (!(await isReady())) {
  if (pid === undefined || !isAlive()) process.exit(1);
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
