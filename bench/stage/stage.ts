// The set-up of every bench: the servers, the control and the service, and their shutdown in every case.
import { pathToFileURL } from 'node:url';
import { startControl, type Target } from './control.js';
import type { Watched } from '../figures/cpu.js';
import { describeMachine } from '../figures/machine.js';
import { startServers, type Servers } from './servers.js';
import { type Service, type ServiceOptions, startService } from './service.js';

export interface Stage {
  readonly servers: Servers;
  readonly control: Target;
  readonly service: Service;
  readonly machine: string;
}

const USUAL: ServiceOptions = { gateways: 1, payments: 1 };

/** Runs `work` on a stage of its own and takes everything down again. */
export async function onStage<T>(
  work: (stage: Stage) => Promise<T>,
  options: ServiceOptions = USUAL,
): Promise<T> {
  const releases: (() => Promise<void>)[] = [];
  try {
    const servers = await startServers();
    releases.push(() => servers.stop());
    const control = await startControl(servers);
    releases.push(() => control.stop());
    const service = await startService(servers, options);
    releases.push(() => service.stop());
    const machine = await describeMachine(servers.postgres.url('postgres'));
    console.log(machine);
    return await work({ servers, control, service, machine });
  } finally {
    for (const release of releases.reverse()) await release();
  }
}

/** The processes whose CPU is told, by name; a second gateway counts apart. */
export function watchedOf({ servers, control, service }: Stage): Watched {
  const watched: Record<string, number> = { ...servers.pids };
  for (const [index, one] of [...control.processes, ...service.processes].entries()) {
    const name = one.name in watched ? `${one.name}-${index}` : one.name;
    watched[name] = one.pid;
  }
  return watched;
}

/** True in the file that was started, false in one that another bench imports. */
export function isStarted(fileUrl: string): boolean {
  return pathToFileURL(process.argv[1] ?? '').href === fileUrl;
}
