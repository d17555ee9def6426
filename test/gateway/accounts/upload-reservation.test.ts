import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { Uploads } from '#gateway/accounts/kyc/uploads.js';
import { buildApiError } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import { openPostgres } from '#store/postgres/client.js';
import { createMerchant } from '#store/postgres/merchants/create-merchant.js';
import { createDatabase } from '#test/support/servers.js';

type Upload = MerchantRequest<NoParams, readonly ArrayBuffer[]>;

const BYTES = 1_000;
const sql = openPostgres(await createDatabase(t), 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const merchantId = makeId('mer', randomBytes(16));
await createMerchant(sql, merchantId, 'Toko Baru');

/** Of a gateway that refuses every document. */
const openUploads = (): Uploads =>
  new Uploads({
    sql,
    thread: {
      run: () => Promise.resolve({ answer: buildApiError('field_invalid') }),
      close: () => Promise.resolve(),
    },
    onError: (error) => {
      throw error;
    },
  });
const buildHead = (requestId: string): MerchantRequest => {
  const session = { isVerified: true, merchantId };
  return { session, requestId } as unknown as MerchantRequest;
};
const addBody = (head: MerchantRequest): Upload => ({ ...head, body: [] });

t.test('a document that was refused is answered after its reservation has ended', async (t) => {
  const [one, other] = [openUploads(), openUploads()];
  const first = buildHead('req_1');
  const permit = await one.begin(first, BYTES);
  t.equal(permit.code, null);
  t.match(await other.begin(buildHead('req_2'), BYTES), { code: 'rate_limited' }, 'one at a time');
  t.match(await one.store(addBody(first)), { code: 'field_invalid' });
  t.equal((await other.begin(buildHead('req_3'), BYTES)).code, null, 'the next one may begin');
  if (permit.code === null) permit.release();
  t.match(
    await one.begin(buildHead('req_4'), BYTES),
    { code: 'rate_limited' },
    'the end of the first request leaves the reservation of the next one alone',
  );
});
