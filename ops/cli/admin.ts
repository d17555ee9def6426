// Administrators: the first one is made here.
//   npm run admin -- create someone@example.com      asks for nothing; prints a password once
//   npm run admin -- reset-totp someone@example.com  takes a lost second factor away
//   npm run admin -- erase mer_… TEST|LIVE payment_id|customer_email|… VALUE [--with-reference]
//                                                    asks for a customer to be erased (docs/erasure.md)
// It ends with 0; with 1 when the address is known (create) or unknown (reset-totp), or there is nothing of that id (erase);
// with 2 when it was called wrongly.
import { randomBytes } from 'node:crypto';
import { makeId, parseMerchantId } from '#actors/core/ids.js';
import { PasswordHasher } from '#gateway/accounts/password-hash.js';
import type { Postgres } from '#store/postgres/client.js';
import { removeTotp } from '#store/postgres/accounts/passwords.js';
import { findLogin, seedUser } from '#store/postgres/accounts/users.js';
import {
  createErasureRequest,
  ERASURE_FIELDS,
  hasSubject,
  type NewErasure,
} from '#store/postgres/payments/erasure-requests.js';
import { openDatabase } from './database.js';

const USAGE = `npm run admin -- create     someone@example.com
npm run admin -- reset-totp someone@example.com
npm run admin -- erase mer_… TEST|LIVE ${ERASURE_FIELDS.join('|')} VALUE [--with-reference]
`;
const PASSWORD_BYTES = 18;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function create(sql: Postgres, email: string): Promise<number> {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await new PasswordHasher().hash(password);
  const id = makeId('usr', randomBytes(16));
  if (!(await seedUser(sql, { id, email, merchantId: null, passwordHash }))) {
    print(`${email} is known already`);
    return 1;
  }
  print(`administrator ${email}`);
  print(`password ${password}`);
  print('Change it after the first login, and set up a second factor: production asks for one.');
  return 0;
}

async function resetTotp(sql: Postgres, email: string): Promise<number> {
  const [user] = await findLogin(sql, email);
  if (user === undefined) {
    print(`nobody has the address ${email}`);
    return 1;
  }
  await removeTotp(sql, user.id);
  print(`${email} has no second factor any more`);
  return 0;
}

async function erase(sql: Postgres, wish: Omit<NewErasure, 'id'>): Promise<number> {
  if (!(await hasSubject(sql, wish))) {
    print(`there is no ${wish.sought} of that merchant and environment`);
    return 1;
  }
  const id = makeId('era', randomBytes(16));
  if (!(await createErasureRequest(sql, null, { ...wish, id }))) {
    print(`there is no merchant ${wish.merchantId}`);
    return 1;
  }
  print(
    `${id} is asked for; the webhooks processes do it within seconds of what it names being over`,
  );
  return 0;
}

/** undefined: called wrongly. */
function readErasure(words: readonly string[]): Omit<NewErasure, 'id'> | undefined {
  const [merchant = '', environment, name, sought = '', option, ...rest] = words;
  const merchantId = parseMerchantId(merchant);
  const field = ERASURE_FIELDS.find((one) => one === name);
  const isSound =
    (environment === 'TEST' || environment === 'LIVE') &&
    sought.trim() !== '' &&
    (option === undefined || option === '--with-reference') &&
    rest.length === 0;
  if (!isSound || merchantId === undefined || field === undefined) return undefined;
  return { merchantId, environment, field, sought, withReference: option !== undefined };
}

function refuseCall(): number {
  process.stderr.write(USAGE);
  return 2;
}

async function run(words: readonly string[]): Promise<number> {
  const [verb, address = '', ...rest] = words;
  if (verb === 'erase') {
    const wish = readErasure(words.slice(1));
    return wish === undefined ? refuseCall() : withDatabase((sql) => erase(sql, wish));
  }
  const email = address.trim().toLowerCase();
  const isSound = (verb === 'create' || verb === 'reset-totp') && rest.length === 0;
  if (!isSound || !EMAIL.test(email)) return refuseCall();
  return withDatabase((sql) => (verb === 'create' ? create(sql, email) : resetTotp(sql, email)));
}

async function withDatabase(work: (sql: Postgres) => Promise<number>): Promise<number> {
  const sql = openDatabase('admin');
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

process.exitCode = await run(process.argv.slice(2));
