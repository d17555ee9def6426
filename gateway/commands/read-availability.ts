// The LIVE gate of a charge, and the rails that take it. The rails process publishes in Postgres which methods and amounts
// its rails take now; each gateway reads them every 500 ms and keeps the last ones while Postgres is away, when no payment
// can be created anyway. TEST payments need none of this: their callers do not ask.
import { findLiveBlock, type GatedCharge, type LiveBlock } from '#actors/core/rails/live-gate.js';
import { type AmountMinor, parseAmount } from '#actors/core/money.js';
import {
  CHARGEABLE_METHODS,
  type ChargeableMethod,
  type PaymentMethodId,
} from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
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
import { buildParameterError } from '../lists/page.js';
import { type ApiError, buildApiError } from '../routing/response.js';

const POLL_EVERY_MS = 500;

const METHOD_UNAVAILABLE = buildApiError('payment_method_unavailable', {
  message:
    'payment_method is not offered in LIVE at the moment. GET /v1/payment-methods lists the offered ones; without ' +
    'payment_method the customer chooses among them.',
  param: 'payment_method',
});
const REFUSALS: Readonly<Record<LiveBlock, ApiError>> = {
  merchant: buildApiError('live_not_enabled'),
  live_creates: buildApiError('dependency_unavailable', {
    message: 'LIVE payments are not taken at the moment. Nothing was done; try again later.',
    retryAfterSeconds: 60,
  }),
  method: METHOD_UNAVAILABLE,
  rail: METHOD_UNAVAILABLE,
};

/** A LIVE charge. */
export interface Charge {
  readonly merchantId: string;
  /** The method that the merchant requested, which may be `VA`; null: any. */
  readonly requested: PaymentMethodId | null;
  /** null: the customer has chosen none yet. */
  readonly method: ChargeableMethod | null;
  readonly amountMinor: AmountMinor;
  /** As the merchant requested; null: the default of the method. */
  readonly expiresInS: number | null;
}

export interface ChargeAdmission {
  /** The error of a new payment; null: it may be created. */
  readonly refusal: ApiError | null;
  /** Those to try, in order; empty for TEST, without a method, and when no rail takes the charge now. */
  readonly rails: readonly RailName[];
}

/** Each function rejects when Postgres cannot be queried. */
export interface AvailabilityReader {
  /** Whether LIVE payments of a merchant can use a method now. */
  findMethodFilter(merchantId: string): Promise<(id: PaymentMethodId) => boolean>;
  /** Whether the LIVE gate is closed for payments of a merchant that have no method yet. */
  isClosed(merchantId: string): Promise<boolean>;
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
  const findBlock = (takesPayments: boolean, methods: GatedCharge['methods']): LiveBlock | null =>
    findLiveBlock({ environment: 'LIVE', takesPayments, methods }, isSwitchedOn);
  const admit = async (charge: Charge): Promise<ChargeAdmission> => {
    const { merchantId, requested, method, amountMinor, expiresInS } = charge;
    const { takesPayments, routes } = await loadLiveTerms(reads, merchantId);
    const block = findBlock(takesPayments, [requested, method]);
    if (block !== null) return { refusal: REFUSALS[block], rails: [] };
    const maxExpiresInS = findMaxExpiresInS(configured, requested, routes);
    const refusal = refuseExpiry(expiresInS, maxExpiresInS);
    if (method === null) return { refusal, rails: [] };
    const railCharge = { method, amountMinor, expiresInS };
    return { refusal, rails: selectRails(listSwitchedOn(), railCharge, routes.get(method)) };
  };
  const findMethodFilter = async (
    merchantId: string,
  ): Promise<(id: PaymentMethodId) => boolean> => {
    const { takesPayments, routes } = await loadLiveTerms(reads, merchantId);
    const own = listSwitchedOn().filter(
      ({ rail, method }) => routes.get(method)?.includes(rail) ?? true,
    );
    return (id) => findBlock(takesPayments, [id]) === null && isOfferedLive(id, own);
  };
  return {
    findMethodFilter,
    isClosed: async (merchantId) => {
      const { takesPayments } = await loadLiveTerms(reads, merchantId);
      return findBlock(takesPayments, []) !== null;
    },
    admit,
    stop: loop.stop,
  };
}

/**
 * An order that its rail ends early would leave a payment open that nobody can pay. `maxExpiresInS` is the longest that a
 * configured rail can keep an order open, also while it takes no charge; null: not known.
 */
function refuseExpiry(expiresInS: number | null, maxExpiresInS: number | null): ApiError | null {
  if (expiresInS === null || maxExpiresInS === null || expiresInS <= maxExpiresInS) return null;
  const requirement = `must be at most ${maxExpiresInS} seconds for this payment method`;
  return buildParameterError('expires_in', requirement);
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
