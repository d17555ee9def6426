// Administrators: the first one is made here.
//   npm run admin -- create someone@example.com      asks for nothing; prints a password once
//   npm run admin -- reset-totp someone@example.com  takes a lost second factor away
// It ends with 0; with 1 when the address is known (create) or unknown (reset-totp); with 2 when it was called wrongly.
import { randomBytes } from 'node:crypto';
import { newId } from '../../actors/core/ids.js';
import { PasswordHasher } from '../../gateway/merchant/accounts/password-hash.js';
import type { Postgres } from '../../store/postgres/client.js';
import { removeTotp } from '../../store/postgres/accounts/passwords.js';
import { findLogin, seedUser } from '../../store/postgres/accounts/users.js';
import { openDatabase } from './database.js';

const USAGE = `npm run admin -- create     someone@example.com
npm run admin -- reset-totp someone@example.com
`;
const PASSWORD_BYTES = 18;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function create(sql: Postgres, email: string): Promise<number> {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await new PasswordHasher().hash(password);
  const id = newId('usr', randomBytes(16));
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

async function run(words: readonly string[]): Promise<number> {
  const [verb, address = '', ...rest] = words;
  const email = address.trim().toLowerCase();
  const isSound = (verb === 'create' || verb === 'reset-totp') && rest.length === 0;
  if (!isSound || !EMAIL.test(email)) {
    process.stderr.write(USAGE);
    return 2;
  }
  const sql = openDatabase('admin');
  try {
    return await (verb === 'create' ? create(sql, email) : resetTotp(sql, email));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

process.exitCode = await run(process.argv.slice(2));
