// One etcd, in which the Patronis of a test agree on their leader.
import { join } from 'node:path';
import { buildParentGuard } from '#ops/dev/launch/program.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { control } from '../controlled.js';
import { makeFolder, type TestScope } from '../servers.js';
import { needProgram } from '../suite/programs.js';

const STOP_MS = 10_000;

/** Returns its address: `127.0.0.1:2379`. */
export async function startEtcd(t: TestScope): Promise<string> {
  const [clients, peers] = [await findFreePort(), await findFreePort()];
  const [url, peerUrl] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`];
  const etcd = needProgram('etcd', 'etcd-server');
  const [command = etcd, ...args] = [
    ...buildParentGuard('SIGTERM'),
    etcd,
    ...['--name', 'kasir', '--data-dir', join(makeFolder(t), 'etcd')],
    ...['--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `kasir=${peerUrl}`, '--unsafe-no-fsync', '--log-level', 'error'],
  ];
  const running = control(
    {
      ...{ name: 'etcd', command, args, env: { PATH: process.env['PATH'] }, output: 'pipe' },
      ...{ hasChannel: false, stopSignal: 'SIGTERM', stopMs: STOP_MS },
    },
    async () => (await fetch(`${url}/health`)).ok,
  );
  t.teardown(() => running.stop());
  await running.start();
  return `127.0.0.1:${clients}`;
}
