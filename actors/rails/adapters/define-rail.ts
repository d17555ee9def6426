// The registration of a rail: everything that the rails process has to know of it. Each rail is one folder beside this file,
// whose `registration.ts` exports its registration; actors/rails/rail-registry.ts loads it by the rail's name.
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Config } from '#ops/runtime/config.js';
import type {
  RailSecretName,
  RailUrlName,
  RailVariables,
} from '#ops/runtime/environment/rail-variables.js';
import { openRailClient, type RailAddress, type RailClient } from './rail-client.js';
import type { Capabilities, Rail, RailAdapter } from './rail.js';
import type { RequestBudget } from './request-budget.js';

export interface RailDefinition<Secret extends RailSecretName> {
  readonly capabilities: Capabilities;
  readonly variables: { readonly url: RailUrlName; readonly secrets: readonly Secret[] };
  /** Sent with every request: the credential. */
  readonly buildHeaders: (secrets: Secrets<Secret>) => Readonly<Record<string, string>>;
  readonly isThrottled?: RailAddress['isThrottled'];
  readonly createAdapter: (deps: AdapterDeps<Secret>) => RailAdapter;
}

type Secrets<Secret extends string> = Readonly<Record<Secret, string>>;

export interface AdapterDeps<Secret extends string> {
  readonly name: RailName;
  readonly client: RailClient;
  /** The configured address: only addresses below it may be followed. */
  readonly baseUrl: string;
  readonly secrets: Secrets<Secret>;
  readonly nowMs: () => number;
}

export interface RailRegistration {
  readonly variables: RailVariables;
  /** Returns null when the address of the rail or one of its secrets is missing. */
  readonly open: (
    name: RailName,
    config: Pick<Config['rails'], 'variables' | 'timeoutMs'>,
    deps: OpenDeps,
  ) => OpenRail | null;
}

export interface OpenDeps {
  readonly nowMs: () => number;
  readonly budgetFor: (rail: RailName) => RequestBudget;
}

/** A rail and its connections. */
export interface OpenRail {
  readonly rail: Rail;
  /** Calls under way end as "unknown". */
  close(): Promise<void>;
}

export function defineRail<Secret extends RailSecretName>(
  definition: RailDefinition<Secret>,
): RailRegistration {
  const { capabilities, variables, buildHeaders, isThrottled, createAdapter } = definition;
  return {
    variables,
    open: (name, { variables: given, timeoutMs }, { nowMs, budgetFor }) => {
      const baseUrl = given[variables.url];
      const secrets = readSecrets(variables.secrets, given);
      if (baseUrl === undefined || secrets === null) return null;
      const client = openRailClient({
        ...{ url: baseUrl, headers: buildHeaders(secrets), timeoutMs, budget: budgetFor(name) },
        ...(isThrottled === undefined ? {} : { isThrottled }),
      });
      const adapter = createAdapter({ name, client, baseUrl, secrets, nowMs });
      return { rail: { ...adapter, name, capabilities }, close: () => client.close() };
    },
  };
}

function readSecrets<Secret extends string>(
  names: readonly Secret[],
  given: Readonly<Record<string, string>>,
): Secrets<Secret> | null {
  const found = names.map((name) => [name, given[name]] as const);
  return found.every(([, value]) => value !== undefined)
    ? (Object.fromEntries(found) as Secrets<Secret>)
    : null;
}
