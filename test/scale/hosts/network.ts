// Hosts with addresses of their own, on this machine: a network namespace each, whose cable leads to a bridge in one more
// namespace, the switch. This machine has a cable to the switch too. The kernel removes a namespace and its cables with its last
// process, so a test that is killed leaves nothing.
import { execFileSync, spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { buildParentGuard } from '#ops/dev/launch/program.js';
import { control } from '#test/support/controlled.js';
import type { Host } from '#test/support/processes.js';
import type { TestScope } from '#test/support/servers.js';
import { needProgram } from '#test/support/suite/programs.js';

/** 198.18.0.0/15 is for tests of networks (RFC 2544), so no machine uses it otherwise. */
const NETWORK = '198.18';
const NETWORKS = 256;
const STOP_MS = 5_000;
/** States of a port of a bridge: it drops all frames, or passes them on. */
const DISABLED = '0';
const FORWARDING = '3';

export interface CabledHost extends Host {
  /** The switch drops all its packets from now on. No connection is closed, and nobody hears of it. */
  readonly cutOff: () => void;
  readonly rejoin: () => void;
}

export interface Network {
  /** Of this machine. */
  readonly address: string;
  readonly addHost: (name: string) => Promise<CabledHost>;
}

interface Namespace {
  readonly pid: number;
  readonly enter: readonly string[];
  readonly run: (...words: readonly string[]) => void;
}

export async function startNetwork(t: TestScope): Promise<Network> {
  checkRights();
  const between = await openNamespace(t, 'switch');
  between.run('ip', 'link', 'add', 'bridge', 'type', 'bridge');
  between.run('ip', 'link', 'set', 'bridge', 'up');
  const prefix = plugIn(between);
  let count = 1;
  return {
    address: `${prefix}.1`,
    addHost: async (name) => {
      count += 1;
      return addHost(await openNamespace(t, name), between, {
        address: `${prefix}.${count}`,
        cable: `cable${count}`,
      });
    },
  };
}

function checkRights(): void {
  needProgram('ip', 'iproute2');
  needProgram('bridge', 'iproute2');
  if (spawnSync('unshare', ['--net', 'true']).status === 0) return;
  throw new Error('network namespaces are not permitted here; run these tests as root');
}

/** A process that waits holds the namespace. */
async function openNamespace(t: TestScope, name: string): Promise<Namespace> {
  const words = [...buildParentGuard('SIGKILL'), 'unshare', '--net', 'sleep', 'infinity'];
  const [command = '', ...args] = words;
  const own = readlinkSync('/proc/self/ns/net');
  const holder = control(
    {
      ...{ name, command, args, env: { PATH: process.env['PATH'] }, output: 'pipe' },
      ...{ hasChannel: false, stopSignal: 'SIGTERM', stopMs: STOP_MS },
    },
    () => Promise.resolve(readlinkSync(`/proc/${holder.pid()}/ns/net`) !== own),
  );
  t.teardown(() => holder.stop());
  await holder.start();
  const pid = holder.pid();
  const enter = ['nsenter', `--net=/proc/${pid}/ns/net`, '--'];
  return { pid, enter, run: (...words) => execute([...enter, ...words]) };
}

/** Joins this machine to the switch. Returns the network's first three numbers: the name of the cable is taken for them. */
function plugIn(between: Namespace): string {
  for (let number = 0; number < NETWORKS; number += 1) {
    const cable = `kasir${number}`;
    const words = ['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'cable1', 'netns'];
    if (spawnSync('ip', [...words, String(between.pid)]).status !== 0) continue;
    const prefix = `${NETWORK}.${number}`;
    execute(['ip', 'address', 'add', `${prefix}.1/24`, 'dev', cable]);
    execute(['ip', 'link', 'set', cable, 'up']);
    between.run('ip', 'link', 'set', 'cable1', 'master', 'bridge', 'up');
    return prefix;
  }
  throw new Error(`each of kasir0 to kasir${NETWORKS - 1} is a network device already`);
}

function addHost(
  host: Namespace,
  between: Namespace,
  { address, cable }: { readonly address: string; readonly cable: string },
): CabledHost {
  const [pid, peer] = [String(host.pid), ['peer', 'name', 'eth0']];
  between.run('ip', 'link', 'add', cable, 'type', 'veth', ...peer, 'netns', pid);
  host.run('ip', 'address', 'add', `${address}/24`, 'dev', 'eth0');
  for (const device of ['eth0', 'lo']) host.run('ip', 'link', 'set', device, 'up');
  between.run('ip', 'link', 'set', cable, 'master', 'bridge', 'up');
  const setPort = (state: string): void => {
    between.run('bridge', 'link', 'set', 'dev', cable, 'state', state);
  };
  return {
    ...{ address, enter: host.enter },
    cutOff: () => {
      setPort(DISABLED);
    },
    rejoin: () => {
      setPort(FORWARDING);
    },
  };
}

function execute([command = '', ...args]: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
