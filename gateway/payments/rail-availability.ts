// The LIVE gate of a charge, and the rails that take it. The rails process publishes in Postgres which methods and amounts
// its rails take now; each gateway reads them every 500 ms and keeps the last ones while Postgres is away, when no payment
// can be created anyway.
import type { Environment } from '#actors/core/ids.js';
import { findLiveBlock, type LiveBlock } from '#actors/core/rails/live-gate.js';
import { type AmountMinor, makeMinor, parseAmount } from '#actors/core/money.js';
import {
  CHARGEABLE_METHODS,
  type ChargeableMethod,
  type PaymentMethodId,
} from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/answers.js';
import {
  findMaxExpiresInS,
  isOfferedLive,
  OFFER_SILENT_MS,
  type RailOffer,
  type RailOffers,
  selectRails,
} from '#actors/core/rails/live-rails.js';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import { loadLiveTerms } from '#store/postgres/merchants/merchant-rails.js';
import {
  loadAvailability,
  type LoadedAvailability,
} from '#store/postgres/rails/rail-availability.js';

const POLL_EVERY_MS = 500;

const TEST_ADMISSION: ChargeAdmission = { block: null, rails: [], maxExpiresInS: null };
const NO_METHOD = {
  ...{ requested: null, method: null, expiresInS: null },
  amountMinor: makeMinor(0n),
} as const;

export interface Payee {
  readonly merchantId: string;
  readonly environment: Environment;
}

export interface Charge extends Payee {
  /** The method that the merchant requested, which may be `VA`; null: any. */
  readonly requested: PaymentMethodId | null;
  /** null: the customer has chosen none yet. */
  readonly method: ChargeableMethod | null;
  readonly amountMinor: AmountMinor;
  /** As the merchant requested; null: the default of the method. */
  readonly expiresInS: number | null;
}

export interface ChargeAdmission {
  readonly block: LiveBlock | null;
  /** Those to try, in order; empty for TEST, without a method, and when no rail takes the charge now. */
  readonly rails: readonly RailName[];
  /** The longest that a configured rail can keep an order open, also while it takes no charge; null: not known. */
  readonly maxExpiresInS: number | null;
}

/** Each function rejects when Postgres cannot be queried. */
export interface AvailabilityReader {
  /** Whether LIVE payments of a merchant can use a method now. */
  findMethodFilter(merchantId: string): Promise<(id: PaymentMethodId) => boolean>;
  /** The LIVE gate of a payment that has no method yet. */
  findBlock(payee: Payee): Promise<LiveBlock | null>;
  admit(charge: Charge): Promise<ChargeAdmission>;
}

interface ConfiguredOffer extends RailOffer {
  readonly isTaken: boolean;
}

export interface RailAvailability extends AvailabilityReader {
  stop(): Promise<void>;
}

export interface RailAvailabilityDeps {
  /** The pool of background polls. */
  readonly polls: Postgres;
  /** The pool of reads on the path of a request. */
  readonly reads: Postgres;
  readonly isSwitchedOn: KillSwitches['isOn'];
  readonly log: Log;
}

/** Resolves after the first read, or after it failed. */
export async function startRailAvailability(deps: RailAvailabilityDeps): Promise<RailAvailability> {
  const { polls, reads, isSwitchedOn, log } = deps;
  let configured: readonly ConfiguredOffer[] = [];
  const poll = async (): Promise<void> => {
    configured = (await loadAvailability(polls, OFFER_SILENT_MS)).flatMap(parseAvailability);
  };
  await poll().catch((error: unknown) => {
    log.warn({ err: error }, 'rail availability could not be read at start; repeating');
  });
  const loop = startLoop({
    name: 'rail availability',
    everyMs: POLL_EVERY_MS,
    isFirstDelayed: true,
    work: poll,
    log,
  });
  const listSwitchedOn = (): RailOffers =>
    configured.filter(
      ({ rail, method, isTaken }) =>
        isTaken && isSwitchedOn(`rail:${rail}`) && isSwitchedOn(`method:${method}`),
    );
  const admit = async (charge: Charge): Promise<ChargeAdmission> => {
    const { environment, merchantId, requested, method, amountMinor, expiresInS } = charge;
    if (environment === 'TEST') return TEST_ADMISSION;
    const { isLiveEnabled, routes } = await loadLiveTerms(reads, merchantId);
    const gated = { environment, isLiveEnabled, methods: [requested, method] };
    const block = findLiveBlock(gated, isSwitchedOn);
    const maxExpiresInS = findMaxExpiresInS(configured, requested, routes);
    if (block !== null || method === null) return { block, rails: [], maxExpiresInS };
    const railCharge = { method, amountMinor, expiresInS };
    const rails = selectRails(listSwitchedOn(), railCharge, routes.get(method));
    return { block, rails, maxExpiresInS };
  };
  const findMethodFilter = async (
    merchantId: string,
  ): Promise<(id: PaymentMethodId) => boolean> => {
    const { isLiveEnabled, routes } = await loadLiveTerms(reads, merchantId);
    const own = listSwitchedOn().filter(
      ({ rail, method }) => routes.get(method)?.includes(rail) ?? true,
    );
    const gate = { environment: 'LIVE', isLiveEnabled } as const;
    return (id) =>
      findLiveBlock({ ...gate, methods: [id] }, isSwitchedOn) === null && isOfferedLive(id, own);
  };
  return {
    findMethodFilter,
    findBlock: async (payee) => (await admit({ ...payee, ...NO_METHOD })).block,
    admit,
    stop: loop.stop,
  };
}

/** During a deployment a newer rails process may publish methods that this gateway does not know: they are skipped. */
function parseAvailability(row: LoadedAvailability): ConfiguredOffer[] {
  const { rail, method, minAmount, maxAmount, maxExpiresInS, isTaken } = row;
  const known = CHARGEABLE_METHODS.find((one) => one === method);
  const minAmountMinor = parseAmount(minAmount);
  const maxAmountMinor = parseAmount(maxAmount);
  const isReadable = typeof minAmountMinor === 'bigint' && typeof maxAmountMinor === 'bigint';
  return known !== undefined && isReadable
    ? [{ rail, method: known, minAmountMinor, maxAmountMinor, maxExpiresInS, isTaken }]
    : [];
}
