// Faults on request: a rule names an operation, optionally a rail and an order, and a count or a rate. A rate uses a
// seeded generator, so that a run can be repeated.
import { type Static, Type } from '@sinclair/typebox';

const Operation = Type.Union(
  (['charge', 'status', 'close', 'refund', 'payout', 'picture', 'list', 'callback'] as const).map(
    (name) => Type.Literal(name),
  ),
);
export type Operation = Static<typeof Operation>;

/**
 * Faults of requests. The order is created all the same, unless `took` is false.
 *   latency      the answer is delayed by `ms`
 *   no_answer    no answer is sent
 *   server_error, html, reset      status 500, an HTML page with status 200, a broken connection
 *   refuse       an explicit refusal
 *   throttle     status 429, and the order is not created; `ms` gives Retry-After; with `per_second`, only the requests
 *                beyond that number in a second
 *   wrong_amount the answer names another amount
 *   lag          an outdated status, from before the payment, or at Midtrans from before the last refund or chargeback
 *   spoiled_qr   the order gets a QR payload whose checksum is wrong
 *   no_qr_string an answer without the QR payload (its picture exists)
 *   stuck        a refund or payout at Xendit is accepted for ever; the control API can end it
 * Faults of callbacks:
 *   lost; doubled; late, by `ms`; reordered, sent after the next one; forged, a forged one is sent first;
 *   wrong_amount, correctly signed
 */
const Kind = Type.Union(
  (
    [
      ...['latency', 'no_answer', 'server_error', 'html', 'reset', 'refuse'],
      'throttle',
      ...['wrong_amount', 'lag', 'spoiled_qr', 'no_qr_string', 'stuck'],
      ...['lost', 'doubled', 'late', 'reordered', 'forged'],
    ] as const
  ).map((name) => Type.Literal(name)),
);

export const FaultRule = Type.Object(
  {
    kind: Kind,
    operation: Operation,
    rail: Type.Optional(Type.Union([Type.Literal('midtrans'), Type.Literal('xendit')])),
    /** The caller's own id of the order, refund or payout. */
    subject: Type.Optional(Type.String()),
    ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
    took: Type.Optional(Type.Boolean()),
    /** From 0 to 1. Default: always. */
    rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    per_second: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
    /** The largest number of times. */
    times: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
);
export type FaultRule = Static<typeof FaultRule>;

export const FaultPlan = Type.Object(
  {
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffffffff })),
    rules: Type.Array(FaultRule, { maxItems: 1000 }),
  },
  { additionalProperties: false },
);
export type FaultPlan = Static<typeof FaultPlan>;

export interface Occasion {
  readonly operation: Operation;
  readonly rail: 'midtrans' | 'xendit';
  readonly subject: string;
}

interface PlannedRule {
  readonly rule: FaultRule;
  left: number;
  /** The second of the last request, and the requests in it. */
  second: number;
  requests: number;
}

export class Faults {
  #rules: PlannedRule[] = [];
  #random: () => number = createRandom(0);

  plan({ seed = 0, rules }: FaultPlan): void {
    this.#random = createRandom(seed);
    this.#rules = rules.map((rule) => ({
      rule,
      left: rule.times ?? Infinity,
      second: 0,
      requests: 0,
    }));
  }

  /** The faults that apply now; it decrements those with a count. */
  strike(occasion: Occasion): readonly FaultRule[] {
    const struck = this.#rules.filter(
      (planned) =>
        planned.left > 0 && this.#applies(planned.rule, occasion) && isBeyondLimit(planned),
    );
    for (const entry of struck) entry.left -= 1;
    return struck.map(({ rule }) => rule);
  }

  #applies(rule: FaultRule, { operation, rail, subject }: Occasion): boolean {
    if (rule.operation !== operation || (rule.rail ?? rail) !== rail) return false;
    if ((rule.subject ?? subject) !== subject) return false;
    return rule.rate === undefined || this.#random() < rule.rate;
  }
}

/** Counts the request. A rule without a limit applies to every request. */
function isBeyondLimit(planned: PlannedRule): boolean {
  const { per_second: limit } = planned.rule;
  if (limit === undefined) return true;
  const second = Math.floor(Date.now() / 1000);
  planned.requests = planned.second === second ? planned.requests + 1 : 1;
  planned.second = second;
  return planned.requests > limit;
}

/** Mulberry32: 32 bits of state, enough for random choices. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const AMOUNT_FIELDS = ['gross_amount', 'request_amount', 'amount', 'capture_amount'];
const PARTS = ['captures', 'payment_amounts'];

/** Changes every amount in the text by one rupiah. */
export function falsifyAmount(body: object): object {
  const wrong: Record<string, unknown> = { ...body };
  for (const field of AMOUNT_FIELDS) {
    const written = wrong[field];
    if (typeof written === 'number') wrong[field] = written + 1;
    if (typeof written === 'string') wrong[field] = (Number(written) + 1).toFixed(2);
  }
  for (const field of PARTS) {
    const parts = wrong[field];
    if (Array.isArray(parts)) wrong[field] = parts.map((part: object) => falsifyAmount(part));
  }
  return wrong;
}
