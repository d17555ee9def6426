// `kasir secrets reseal`: a dry run changes nothing, and each change is in the audit log. test/slow/ops/reseal.test.ts covers a
// service that runs on meanwhile.
import { createHash, randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { sealFile } from '#ops/runtime/sealed-secrets.js';
import { openPostgres } from '#store/postgres/client.js';
import { runKasir } from '#test/support/kasir.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const { merchantId } = await createTestMerchant(databaseUrl);

const keys = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
const [oldKey = '', newKey = '', lostKey = ''] = keys.map((key) => key.toString('base64'));
const nameOf = (key: string): string =>
  createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex').slice(0, 8);

async function reseal(...options: readonly string[]) {
  const variables = { DATABASE_URL: databaseUrl, SECRETS_KEY: `${newKey},${oldKey}` };
  const words = ['secrets', 'reseal', '--json', ...options];
  const { code, stdout, stderr } = await runKasir(variables, ...words);
  return { code, stderr, value: JSON.parse(stdout) as unknown };
}

const seal = (key: string, id: string): Buffer =>
  sealFile([{ name: nameOf(key), key: Buffer.from(key, 'base64') }], id, Buffer.from('a picture'));

/** Returns the id of a document in `count` parts; 0: in one value, as documents were stored before they had parts. */
async function storeDocument(key: string, count: number): Promise<string> {
  const id = makeId('doc', randomBytes(16));
  await sql`
    insert into kyc_documents (id, merchant_id, purpose, filename, media_type, size, content)
    values (${id}, ${merchantId}, 'TAX', 'a.png', 'image/png', 9, ${count === 0 ? seal(key, id) : null})`;
  for (let part = 0; part < count; part += 1) {
    const partId = `${id}.00${part}`;
    await sql`
      insert into kyc_document_parts (id, document_id, merchant_id, content)
      values (${partId}, ${id}, ${merchantId}, ${seal(key, partId)})`;
  }
  return id;
}

const readContents = () => sql`
  select id, encode(content, 'hex') from kyc_documents
  union all select id, encode(content, 'hex') from kyc_document_parts order by 1`;
const readAudit = () => sql`
  select chain, actor, target, after from audit_log where action = 'secrets.reseal' order by id`;

t.test('a reseal of documents is in the audit log, once for each document', async (t) => {
  const whole = await storeDocument(oldKey, 0);
  const inParts = await storeDocument(oldKey, 3);
  const before = [...(await readContents())];
  const shown = await reseal('--dry-run');
  t.match(shown, { code: 0, value: { resealed: 4, failed: 0, left: 0, dryRun: true } });
  t.strictSame([...(await readContents())], before, 'a dry run changes nothing');
  t.strictSame([...(await readAudit())], []);

  t.match(await reseal(), { code: 0, value: { resealed: 4, failed: 0, left: 0, dryRun: false } });
  t.notSame([...(await readContents())], before);
  const row = { chain: merchantId, actor: /^operator /, after: `{"key" : "${nameOf(newKey)}"}` };
  t.match(
    [...(await readAudit())],
    [whole, inParts].map((target) => ({ ...row, target })),
  );
  t.match(await reseal(), { code: 0, value: { resealed: 0, left: 0 } });
  t.equal((await readAudit()).length, 2, 'a repeat writes no row');
});

t.test('a dry run names the values whose key is missing, and exits 1', async (t) => {
  const id = await storeDocument(lostKey, 0);
  const { code, stderr, value } = await reseal('--dry-run');
  t.match({ code, value }, { code: 1, value: { resealed: 0, failed: 1, left: 1 } });
  t.match(stderr, new RegExp(`kyc_documents\\.content of ${id}: .* ${nameOf(lostKey)}`));
});
