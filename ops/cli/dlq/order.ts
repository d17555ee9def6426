// What an operator asks of the dead-letter queue, parsed from the command line.
import { parseArgs } from 'node:util';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { DELIVERY_FAILURES } from '#actors/core/webhooks/failures.js';
import type { DeadLetterScope } from '#store/postgres/webhooks/dead-letters/dead-letter-scope.js';

export const USAGE = `npm run dlq -- list    [filters] [--limit 50] [--json]
npm run dlq -- stats   [filters] [--limit 50] [--json]
npm run dlq -- show    <delivery id> [--json]
npm run dlq -- replay  <delivery id>… [--dry-run] [--json]
npm run dlq -- replay  --all [filters] [--with-pending] [--dry-run] [--json]
npm run dlq -- drop    <delivery id>… | --all [filters] [--dry-run] [--json]

filters: --merchant mer_…  --endpoint we_…  --environment TEST|LIVE  --type payment.paid  --reason http_401
         --from 2026-08-02T10:00:00Z  --to 2026-08-02T12:00:00Z   (when it died)

replay --all is a job of the webhooks processes: it goes on when this command ends. --with-pending also brings
what failed and waits for its next attempt: the recovery after an outage. Ends with 0; with 1 when something was
not found, not dead, or could not be replayed; with 2 when it was called wrongly or cannot reach the database.
`;

export const VERBS = ['list', 'stats', 'show', 'replay', 'drop'] as const;
export type Verb = (typeof VERBS)[number];

export interface Order {
  readonly verb: Verb;
  readonly ids: readonly string[];
  readonly scope: DeadLetterScope;
  readonly limit: number;
  readonly isAll: boolean;
  readonly isDryRun: boolean;
  readonly withPending: boolean;
  readonly isJson: boolean;
}

const MAX_LIMIT = 10_000;
const MAX_IDS = 1_000;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const OPTIONS = {
  ...{ merchant: text, endpoint: text, environment: text, type: text, reason: text },
  ...{ from: text, to: text, limit: { ...text, default: '50' } },
  ...{ all: flag, 'dry-run': flag, 'with-pending': flag, json: flag },
};

/** The order, or what is wrong with it. */
export function parseOrder(words: readonly string[]): Order | string {
  let parsed;
  try {
    parsed = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return error instanceof Error ? error.message : 'not understood';
  }
  const { values, positionals } = parsed;
  const [word = '', ...ids] = positionals;
  const verb = VERBS.find((known) => known === word);
  if (verb === undefined) return word === '' ? 'what is to be done?' : `${word} is not known`;
  const limit = Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    return `--limit is a whole number from 1 to ${MAX_LIMIT}`;
  }
  const scope = parseScope(values);
  if (typeof scope === 'string') return scope;
  const order: Order = {
    ...{ verb, ids, scope, limit, isAll: values.all, isJson: values.json },
    ...{ isDryRun: values['dry-run'], withPending: values['with-pending'] },
  };
  return findFault(order) ?? order;
}

type Values = Partial<Record<keyof typeof OPTIONS, string | boolean>>;

function parseScope(values: Values): DeadLetterScope | string {
  const given = (name: keyof typeof OPTIONS): string | null => {
    const value = values[name];
    return typeof value === 'string' ? value : null;
  };
  const among = <Value extends string>(
    name: keyof typeof OPTIONS,
    known: readonly Value[],
  ): Value | null => {
    const value = given(name);
    if (value === null) return null;
    const found = known.find((one) => one === value);
    if (found === undefined) throw new RangeError(`--${name} is one of ${known.join(', ')}`);
    return found;
  };
  const time = (name: 'from' | 'to'): Date | null => {
    const value = given(name);
    if (value === null) return null;
    const at = new Date(value);
    if (Number.isNaN(at.getTime())) throw new RangeError(`--${name} is a time in ISO 8601`);
    return at;
  };
  try {
    return {
      merchantId: given('merchant'),
      endpointId: given('endpoint'),
      environment: among('environment', ['TEST', 'LIVE'] as const),
      type: among('type', WEBHOOK_TYPES),
      reason: among('reason', DELIVERY_FAILURES),
      ...{ from: time('from'), to: time('to') },
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
}

function findFault({ verb, ids, isAll, isDryRun, withPending }: Order): string | null {
  if (ids.length > MAX_IDS) return `at most ${MAX_IDS} deliveries at once`;
  if (withPending && !(verb === 'replay' && isAll)) return '--with-pending belongs to replay --all';
  switch (verb) {
    case 'list':
    case 'stats':
      return ids.length > 0 || isAll || isDryRun ? `${verb} takes filters only` : null;
    case 'show':
      return ids.length !== 1 || isAll || isDryRun ? 'show takes one delivery id' : null;
    case 'replay':
    case 'drop':
      return ids.length > 0 === isAll ? `${verb} takes delivery ids, or --all` : null;
  }
}
