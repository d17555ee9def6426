// The rail simulator in this process, with adapters that call it and its control API.
import { request } from 'undici';
import type { Rail } from '#actors/rails/adapters/rail.js';
import type { BudgetDeps } from '#actors/rails/adapters/request-budget.js';
import { openRails } from '#actors/rails/rail-registry.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import type { FaultRule } from '#ops/dev/rail-simulator/faults.js';
import { type RailSimulator, startRailSimulator } from '#ops/dev/rail-simulator/simulator.js';
import type { SimulatorSettings } from '#ops/dev/rail-simulator/simulator-context.js';

/** For adapters that have no budget. */
export const UNLIMITED: Omit<BudgetDeps, 'numbers'> = {
  buckets: {
    take: () => ({
      rule: { burst: 1, costMs: 0 },
      isWithin: true,
      remaining: 0,
      resetMs: 0,
      waitMs: 0,
    }),
  },
  onThrottled: () => undefined,
};

interface Owner {
  teardown(release: () => unknown): void;
}

export const SIMULATED: SimulatorSettings = {
  port: 0,
  midtransServerKey: 'm-key',
  xenditSecretKey: 'x-key',
  xenditCallbackToken: 'x-token',
  callbacks: { midtrans: null, xendit: null },
  file: null,
  bankMs: 1,
};

export interface SimulatedRails {
  readonly simulator: RailSimulator;
  readonly midtrans: Rail;
  readonly xendit: Rail;
  /** Calls the control API; rejects when it refuses. */
  readonly control: (
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: object,
  ) => Promise<unknown>;
  /** Replaces the faults. */
  readonly plan: (...rules: FaultRule[]) => Promise<void>;
}

export async function simulateRails(
  t: Owner,
  changes: Partial<SimulatorSettings> = {},
): Promise<SimulatedRails> {
  const settings = { ...SIMULATED, ...changes };
  const simulator = await startRailSimulator(settings);
  t.teardown(() => simulator.stop());
  const open = openRails(railsAt(simulator, settings), UNLIMITED);
  t.teardown(() => open.close());
  const control = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
    controlAt(simulator.baseUrl, method, path, body);
  return {
    simulator,
    midtrans: find(open.rails.get('midtrans')),
    xendit: find(open.rails.get('xendit')),
    control,
    plan: async (...rules) => {
      await control('PUT', 'faults', { rules });
    },
  };
}

/** `config.rails` for these addresses. */
export function railsAt(
  { midtransUrl, xenditUrl }: Pick<RailSimulator, 'midtransUrl' | 'xenditUrl'>,
  settings: SimulatorSettings = SIMULATED,
) {
  return {
    variables: {
      RAIL_MIDTRANS_URL: midtransUrl,
      RAIL_MIDTRANS_SERVER_KEY: settings.midtransServerKey,
      RAIL_XENDIT_URL: xenditUrl,
      RAIL_XENDIT_SECRET_KEY: settings.xenditSecretKey,
      RAIL_XENDIT_CALLBACK_TOKEN: settings.xenditCallbackToken,
    },
    routes: new Map(),
    syncSeconds: [],
    timeoutMs: 10_000,
    budgets: new Map<string, number>(),
  };
}

async function controlAt(
  baseUrl: string,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await request(`${baseUrl}/control/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const answer: unknown = await response.body.json();
  if (response.statusCode !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

function find(rail: Rail | undefined): Rail {
  if (rail === undefined) throw new Error('the rail is not configured');
  return rail;
}

/** Returns the settlement that an inquiry found. */
export function settlementOf(answer: { result: string; settlement?: Settlement }): Settlement {
  if (answer.settlement === undefined) throw new Error(`not settled: ${answer.result}`);
  return answer.settlement;
}
