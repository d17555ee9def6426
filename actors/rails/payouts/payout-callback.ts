// A genuine callback of a rail about a payout: it is looked up now. What the callback itself says is not
// believed. Once this has resolved, the news cannot be lost: the payout is due by its row.
import { parsePayoutId } from '#actors/core/ids.js';
import type { RailName } from '#actors/core/rails/answers.js';
import type { Postgres } from '#store/postgres/client.js';
import { expediteInquiry } from '#store/postgres/payouts/due-payouts.js';

/**
 * `payoutId`: as the rail wrote it. missing: it is none that this rail was asked for.
 * @throws when the database cannot be asked: the rail must send its callback again
 */
export async function expeditePayoutInquiry(
  sql: Postgres,
  rail: RailName,
  payoutId: string,
): Promise<'hastened' | 'missing'> {
  const id = parsePayoutId(payoutId);
  return id === undefined ? 'missing' : expediteInquiry(sql, rail, id);
}
