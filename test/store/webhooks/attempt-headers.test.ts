// The headers that attempts sent: stored with them, read from their signatures, and forgotten with their delivery and by an
// erasure.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { buildAttemptHeaders } from '#actors/core/webhooks/sign.js';
import { openPostgres } from '#store/postgres/client.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { findDelivery } from '#store/postgres/webhooks/list-deliveries.js';
import { type AttemptRow, recordAttempts } from '#store/postgres/webhooks/record-attempts.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { addEndpoint, addEvents } from '#test/support/webhooks/outbox.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const { merchantId } = await createTestMerchant(databaseUrl);
await checkInstallation(sql, { partitions: 16, idKey: Buffer.alloc(32, 7) });
await ensureCursors(sql);
await addEndpoint(sql, merchantId, 'https://example.com/hook');

const SIGNATURES = {
  ...{ brandHeader: 'Toko', timestampS: 1_785_665_730, own: 'a'.repeat(64) },
  ...{ ownNext: 'b'.repeat(64), standard: 'v1,c= v1,d=' },
};

/** Adds a delivery with attempts: one that was sent, one that was not, and one of a process of an earlier version. */
async function addAttempts(): Promise<{ readonly id: string; readonly eventId: string }> {
  const [eventId = ''] = await addEvents(sql, merchantId, 1, 'payment.cancelled');
  const id = (await fanOut(sql)).deliveries[0]?.id ?? '';
  const failed: Omit<AttemptRow, 'attempt' | 'signatures'> = {
    ...{ deliveryId: id, beganMs: performance.now(), durationMs: 1, statusCode: null },
    ...{ failure: 'connection', error: null, excerpt: null, status: 'pending', nextInMs: 0 },
  };
  await recordAttempts(sql, [{ ...failed, attempt: 1, signatures: SIGNATURES }]);
  await recordAttempts(sql, [{ ...failed, attempt: 2, signatures: null }]);
  await sql`
    insert into webhook_attempts (delivery_id, attempt, at, duration_ms) values (${id}, 3, now(), 1)`;
  return { id, eventId };
}

const readHeaders = async (id: string) =>
  (await findDelivery(sql, { id, merchantId }))?.attemptsMade.map((made) => made.requestHeaders);

t.test('an attempt keeps the headers that it sent', async (t) => {
  const { id, eventId } = await addAttempts();
  const sent = buildAttemptHeaders(SIGNATURES, { eventId, attempt: 1 });
  t.strictSame(await readHeaders(id), [null, {}, sent], 'unknown, none sent, sent');
  t.match(sent, {
    'X-Toko-Signature-Next': SIGNATURES.ownNext,
    'webhook-signature': 'v1,c= v1,d=',
  });
  await sql`update webhook_attempts set signatures = 'v2 ' || signatures where delivery_id = ${id}`;
  t.strictSame(await readHeaders(id), [null, null, null], 'those of a later version are unknown');
});

t.test('an erasure forgets the signatures of the bytes before it', async (t) => {
  const [{ id, eventId }, other] = [await addAttempts(), await addAttempts()];
  await sql`select erase_payment_traces('pay_erased', '{}', ${[eventId]}::text[], false)`;
  t.strictSame(await readHeaders(id), [null, null, null]);
  t.equal(Object.keys((await readHeaders(other.id))?.[2] ?? {}).length, 11, 'of no other event');
});

t.test('an erasure of a payout forgets them too', async (t) => {
  const { id } = await addAttempts();
  const payoutId = makeId('po', randomBytes(16));
  await sql`
    insert into payouts (id, merchant_id, environment, status, amount, currency, bank_code, account_number,
                         account_holder, fingerprint, version, created_at)
    values (${payoutId}, ${merchantId}, 'TEST', 'COMPLETED', 10000, 'IDR', 'BCA', '1234509876', 'Budi', '', 1, now())`;
  await sql`
    update webhook_deliveries set payment_id = null, payout_id = ${payoutId}, event_id = 'evt_' || substr(${payoutId}::text, 4) || '0001'
     where id = ${id}`;
  await sql`select erase_payout(${payoutId}, false)`;
  t.strictSame(await readHeaders(id), [null, null, null]);
});

t.test('the attempts of a deleted delivery are deleted with their signatures', async (t) => {
  const { id } = await addAttempts();
  await sql`delete from webhook_deliveries where id = ${id}`;
  const left = await sql`select 1 from webhook_attempts where delivery_id = ${id}`;
  t.equal(left.length, 0);
});
