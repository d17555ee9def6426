// Cursors: the place of a page's last row as opaque text. The next page begins behind that place, even when rows were
// added meanwhile. A checksum binds a cursor to its list, merchant and environment, so a cursor of another list, or a
// damaged one, is an error.
import { hash } from 'node:crypto';
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { PagePlace } from '#store/postgres/page.js';

export interface ListScope {
  readonly list: 'payments' | 'refunds' | 'payouts' | 'events' | 'deliveries' | 'balance_movements';
  readonly merchantId: MerchantId;
  readonly environment: Environment;
}

/** A merchant's list that shows both environments, or one. */
interface MerchantScope {
  readonly list:
    | 'api_keys'
    | 'dead_letters'
    | 'merchant_deliveries'
    | 'api_logs'
    | 'payment_links'
    | 'invoices'
    | 'erasures';
  readonly merchantId: MerchantId;
  readonly environment: Environment | 'all';
}

/** A list of administrators, over all merchants. */
interface WholeScope {
  readonly list:
    | 'merchants'
    | 'transactions'
    | 'refunds'
    | 'tasks'
    | 'payouts'
    | 'approvals'
    | 'reconciliations';
  readonly merchantId: 'all';
  readonly environment: 'all';
}

export type CursorScope = ListScope | MerchantScope | WholeScope;

const CHECK_CHARACTERS = 8;
export const MAX_CURSOR_CHARACTERS = 128;
const FORM = /^([0-9a-z]{1,11})\.([0-9a-z_]{1,64})\.[\w-]+$/;
/** The largest value of a Date. */
const MAX_TIME_MS = 8_640_000_000_000_000;

export function encodeCursor(
  { list, merchantId, environment }: CursorScope,
  place: PagePlace,
): string {
  const text = `${place.atMs.toString(36)}.${place.id}`;
  const check = hash('sha256', `${list}:${merchantId}:${environment}:${text}`, 'base64url');
  return Buffer.from(`${text}.${check.slice(0, CHECK_CHARACTERS)}`).toString('base64url');
}

/** undefined: not a cursor of this list. */
export function decodeCursor(scope: CursorScope, cursor: string): PagePlace | undefined {
  if (cursor.length > MAX_CURSOR_CHARACTERS) return undefined;
  const fields = FORM.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const place = { atMs: Number.parseInt(fields?.[1] ?? '', 36), id: fields?.[2] ?? '' };
  if (fields === null || place.atMs > MAX_TIME_MS) return undefined;
  return encodeCursor(scope, place) === cursor ? place : undefined;
}
