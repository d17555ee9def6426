// The methods and amounts that rails take now. The rails process publishes them in Postgres; each gateway reads them
// every 500 ms and keeps the last ones while Postgres is away, when no payment can be created anyway.
import { type AmountMinor, parseAmount } from '#actors/core/money.js';
import {
  CHARGEABLE_METHODS,
  type ChargeableMethod,
  type PaymentMethodId,
} from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/answers.js';
import {
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
import {
  type AvailabilityRow,
  findMerchantRoutes,
  loadAvailability,
} from '#store/postgres/rails/rail-availability.js';

const POLL_EVERY_MS = 500;

export interface AvailabilityReader {
  /** Whether LIVE payments of a merchant can use a method now. Rejects when the merchant's own rails cannot be read. */
  findMethodFilter(merchantId: string): Promise<(id: PaymentMethodId) => boolean>;
  /** The rails to try, in order; empty when none takes the charge now. Rejects like `findMethodFilter`. */
  findRails(charge: LiveCharge): Promise<readonly RailName[]>;
}

export interface LiveCharge {
  readonly merchantId: string;
  readonly method: ChargeableMethod;
  readonly amountMinor: AmountMinor;
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
  let known: RailOffers = [];
  const poll = async (): Promise<void> => {
    known = (await loadAvailability(polls, OFFER_SILENT_MS)).flatMap(parseAvailability);
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
    known.filter(
      ({ rail, method }) => isSwitchedOn(`rail:${rail}`) && isSwitchedOn(`method:${method}`),
    );
  return {
    findMethodFilter: async (merchantId) => {
      const routes = await findMerchantRoutes(reads, merchantId);
      const own = listSwitchedOn().filter(
        ({ rail, method }) => routes.get(method)?.includes(rail) ?? true,
      );
      return (id) => isSwitchedOn(`method:${id}`) && isOfferedLive(id, own);
    },
    findRails: async ({ merchantId, method, amountMinor }) => {
      const routes = await findMerchantRoutes(reads, merchantId);
      return selectRails(listSwitchedOn(), method, amountMinor, routes.get(method));
    },
    stop: loop.stop,
  };
}

/** During a deployment a newer rails process may publish methods that this gateway does not know: they are skipped. */
function parseAvailability({ rail, method, minAmount, maxAmount }: AvailabilityRow): RailOffer[] {
  const known = CHARGEABLE_METHODS.find((one) => one === method);
  const minAmountMinor = parseAmount(minAmount);
  const maxAmountMinor = parseAmount(maxAmount);
  const isReadable = typeof minAmountMinor === 'bigint' && typeof maxAmountMinor === 'bigint';
  return known !== undefined && isReadable
    ? [{ rail, method: known, minAmountMinor, maxAmountMinor }]
    : [];
}
