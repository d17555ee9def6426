// What rails offer now, as this gateway knows it: read twice a second. While the database is away, what was known last
// goes on (nothing is taken then anyway).
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
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import type { Postgres } from '#store/postgres/client.js';
import { loadAvailability, type AvailabilityRow } from '#store/postgres/rails/rail-availability.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';

const LOOK_EVERY_MS = 500;
const LOOK_DEADLINE_MS = 2_000;

export interface AvailabilityReader {
  /** By what methods a merchant's LIVE payments can be taken now. Rejects when its own rails cannot be read. */
  findMethodFilter(merchantId: string): Promise<(id: PaymentMethodId) => boolean>;
  /** The rails to try, in order; empty: none takes it now. Rejects when the merchant's own cannot be read. */
  findRails(charge: LiveCharge): Promise<readonly RailName[]>;
}

export interface LiveCharge {
  readonly merchantId: string;
  readonly method: ChargeableMethod;
  readonly amountMinor: AmountMinor;
}

export interface RailAvailability extends AvailabilityReader {
  stop(): void;
}

export interface RailAvailabilityDeps {
  readonly sql: Postgres;
  /** A merchant's own rails, by method. */
  readonly findRoutes: (merchantId: string) => Promise<ReadonlyMap<string, readonly string[]>>;
  readonly isSwitchedOn: KillSwitches['isOn'];
  readonly onError: (error: unknown) => void;
}

/** Resolves when it has looked once, or could not. */
export async function startRailAvailability(
  parts: RailAvailabilityDeps,
): Promise<RailAvailability> {
  const { sql, findRoutes, isSwitchedOn, onError } = parts;
  let known: RailOffers = [];
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const rows = await runWithDeadline(loadAvailability(sql, OFFER_SILENT_MS), LOOK_DEADLINE_MS);
      known = rows.flatMap(parseAvailability);
    } catch (error) {
      onError(error);
    } finally {
      isLooking = false;
    }
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  const offers = (): RailOffers =>
    known.filter(
      ({ rail, method }) => isSwitchedOn(`rail:${rail}`) && isSwitchedOn(`method:${method}`),
    );
  return {
    findMethodFilter: async (merchantId) => {
      const routes = await findRoutes(merchantId);
      const own = offers().filter(({ rail, method }) => routes.get(method)?.includes(rail) ?? true);
      return (id) => isSwitchedOn(`method:${id}`) && isOfferedLive(id, own);
    },
    findRails: async ({ merchantId, method, amountMinor }) => {
      const routes = await findRoutes(merchantId);
      return selectRails(offers(), method, amountMinor, routes.get(method));
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** A row of a newer version may name what this one does not know. */
function parseAvailability({ rail, method, minAmount, maxAmount }: AvailabilityRow): RailOffer[] {
  const known = CHARGEABLE_METHODS.find((one) => one === method);
  const minAmountMinor = parseAmount(minAmount);
  const maxAmountMinor = parseAmount(maxAmount);
  const isReadable = typeof minAmountMinor === 'bigint' && typeof maxAmountMinor === 'bigint';
  return known !== undefined && isReadable
    ? [{ rail, method: known, minAmountMinor, maxAmountMinor }]
    : [];
}
