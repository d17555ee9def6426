// The variables of each process, and the Node that runs this.
import { RAIL_VARIABLES } from '#actors/rails/rail-registry.js';
import { type Config, ConfigError, type ProcessName, readConfig } from '#ops/runtime/config.js';
import { checkNode } from '#ops/runtime/node-check.js';
import { type Finding, reportOk, reportProblem } from './finding.js';

const REMEDY = 'Correct the variable (docs/configuration.md)';

/** Without `processes`: only the form of the variables is checked, since each process needs others. */
export function checkConfiguration(processes: readonly ProcessName[]): Finding[] {
  const names = processes.length === 0 ? (['start'] as const) : processes;
  return names.flatMap((name) => {
    const check = name === 'start' ? 'configuration' : `configuration.${name}`;
    const faults = findFaults(name);
    if (faults.length > 0) return faults.map((fault) => reportProblem(check, fault, REMEDY));
    const says =
      name === 'start'
        ? 'no variable is malformed; name a process to check what it needs'
        : `${name} has all variables that it needs`;
    return [reportOk(check, says)];
  });
}

function findFaults(name: ProcessName): readonly string[] {
  try {
    readConfig(name, undefined, name === 'rails' ? RAIL_VARIABLES : []);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** undefined: a variable is malformed, which `checkConfiguration` reports. */
export function findConfig(): Config | undefined {
  try {
    return readConfig('start');
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

export function checkNodeVersion(root?: string): Finding {
  const { node } = process.versions;
  try {
    checkNode(root);
    return reportOk('node', `Node ${node} has a build of uWebSockets.js`);
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    return reportProblem(
      'node',
      says,
      'Install Node 22 (docs/operations/node.md#versions-of-node)',
    );
  }
}
