// `kasir admin`: what only an operator with access to the database may do.
import { randomBytes } from 'node:crypto';
import { Argument, type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { type IdPrefix, makeId } from '#actors/core/ids.js';
import { findEmailError } from '#actors/core/requests/validation.js';
import { composeChangeMails } from '#gateway/operators/administrators/change-mails.js';
import { type Compose, createCompose } from '#gateway/mail/compose.js';
import type { AdministratorFields } from '#gateway/mail/mail-text.js';
import { hashPassword } from '#gateway/auth/password-hash.js';
import { ADMINISTRATOR_ROLES, type AdministratorRole } from '#gateway/routing/roles.js';
import type { Postgres } from '#store/postgres/client.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import { resetFactors } from '#store/postgres/accounts/passwords.js';
import {
  type AdministratorRow,
  listAdministrators,
  setAdministrator,
  setAdministratorRole,
} from '#store/postgres/accounts/administrators.js';
import { findLogin, seedUser } from '#store/postgres/accounts/users.js';
import {
  createErasureRequest,
  ERASURE_FIELDS,
  hasSubject,
  type NewErasure,
  previewErasure,
} from '#store/postgres/payments/erasure-requests.js';
import { readConfig } from '../runtime/config.js';
import { withDatabase } from './base/database.js';
import { addCommand, DRY_RUN, ENVIRONMENTS, parseMerchant, parseNonEmpty } from './base/options.js';
import { type Format, print, printRows } from './base/output.js';
import { withProgress } from './base/progress.js';

const PASSWORD_BYTES = 18;

export function addAdmin(program: Command): void {
  const admin = program.command('admin').description('Administrators, and erasure of customers');
  const createPurpose = 'Create an administrator and print a password once';
  addCommand(admin, 'create', createPurpose, 'kasir admin create someone@example.com')
    .argument('<email>', 'address of the administrator', parseEmail)
    .addOption(
      new Option('--role <role>', 'permissions').choices(ADMINISTRATOR_ROLES).default('admin'),
    )
    .action((email, { role, ...format }) =>
      withDatabase((sql) => createAdministrator(sql, { email, role }, format)),
    );
  const rolePurpose = 'Give an administrator another role';
  addCommand(admin, 'role', rolePurpose, 'kasir admin role someone@example.com support')
    .argument('<email>', 'address of the administrator', parseEmail)
    .addArgument(new Argument('<role>', 'permissions').choices(ADMINISTRATOR_ROLES))
    .action((email, role, format) =>
      withDatabase((sql) => changeRole(sql, { email, role }, format)),
    );
  const resetPurpose = 'Remove the second factor of a user who has lost it';
  addCommand(admin, 'reset-totp', resetPurpose, 'kasir admin reset-totp someone@example.com')
    .argument('<email>', 'address of the user', parseEmail)
    .action((email, format) => withDatabase((sql) => resetTotp(sql, email, format)));
  const listPurpose = 'List the administrators';
  addCommand(admin, 'list', listPurpose, 'kasir admin list').action((format) =>
    withDatabase(async (sql) => {
      printRows(await listAdministrators(sql), format, describeAdministrator);
    }),
  );
  const disablePurpose = 'Disable an administrator and end its sessions';
  addCommand(admin, 'disable', disablePurpose, 'kasir admin disable someone@example.com')
    .argument('<email>', 'address of the administrator', parseEmail)
    .action((email, format) =>
      withDatabase((sql) => changeAdministrator(sql, { email, isDisabled: true }, format)),
    );
  const enablePurpose = 'Enable an administrator again';
  addCommand(admin, 'enable', enablePurpose, 'kasir admin enable someone@example.com')
    .argument('<email>', 'address of the administrator', parseEmail)
    .action((email, format) =>
      withDatabase((sql) => changeAdministrator(sql, { email, isDisabled: false }, format)),
    );
  addErase(admin);
}

function addErase(admin: Command): void {
  const erasePurpose = 'Request the erasure of a customer (docs/erasure.md)';
  addCommand(
    admin,
    'erase',
    erasePurpose,
    'kasir admin erase mer_… LIVE customer_email a@b.example',
  )
    .argument('<merchant>', 'id of the merchant, mer_…', parseMerchant)
    .addArgument(new Argument('<environment>', 'environment of the customer').choices(ENVIRONMENTS))
    .addArgument(new Argument('<field>', 'field to search').choices(ERASURE_FIELDS))
    .argument('<value>', 'value of the field', parseNonEmpty)
    .option('--with-reference', 'also erase the references that the merchant gave')
    .option(...DRY_RUN)
    .action((...args) => {
      const [merchantId, environment, field, sought, options] = args;
      const { withReference = false, dryRun = false, ...format } = options;
      const id = makeId('era', randomBytes(16));
      const erasure = { id, merchantId, environment, field, sought, withReference };
      return withDatabase((sql) => (dryRun ? preview : erase)(sql, erasure, format));
    });
}

function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (findEmailError(email) === null) return email;
  throw new InvalidArgumentError('It must be an e-mail address: someone@example.com.');
}

interface RoleOfAdministrator {
  readonly email: string;
  readonly role: AdministratorRole;
}

async function createAdministrator(
  sql: Postgres,
  { email, role }: RoleOfAdministrator,
  format: Format,
): Promise<void> {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = hashPassword(password);
  const id = makeId('usr', randomBytes(16));
  const mails = await composeMails(sql, { target: email, change: 'created', role });
  if (!(await seedUser(sql, { id, email, merchantId: null, role, passwordHash }, mails))) {
    throw new Error(`${email} already has an account`);
  }
  const advice =
    'Change the password after the first login and set up a second factor: production requires one.';
  const text = `administrator ${email}, ${role}\npassword ${password}\n${advice}`;
  print({ id, email, role, password }, format, text);
}

/** For the administrators. */
async function composeMails(
  sql: Postgres,
  change: Omit<AdministratorFields, 'actor'>,
): Promise<readonly Mail[]> {
  const rows = await listAdministrators(sql);
  return composeChangeMails(openCompose(), rows, { ...change, actor: null });
}

function openCompose(): Compose {
  const { baseUrl, brand } = readConfig('start');
  return createCompose({ baseUrl, brand: brand.name });
}

async function resetTotp(sql: Postgres, email: string, format: Format): Promise<void> {
  const [user] = await findLogin(sql, email);
  if (user === undefined) throw new Error(`no user has the address ${email}`);
  const { language } = user;
  const mail = openCompose()({ kind: 'second_factor_changed', recipient: email, language });
  await resetFactors(sql, user.id, mail);
  print(
    { id: user.id, email },
    format,
    `${email} has no second factor any more, and its sessions have ended`,
  );
}

const describeAdministrator = ({
  id,
  email,
  role,
  hasSecondFactor,
  disabledAt,
}: AdministratorRow): string =>
  [
    ...[id, email, role, hasSecondFactor ? 'with a second factor' : 'without a second factor'],
    disabledAt === null ? 'active' : `disabled since ${disabledAt.toISOString()}`,
  ].join('  ');

async function changeAdministrator(
  sql: Postgres,
  { email, isDisabled }: { readonly email: string; readonly isDisabled: boolean },
  format: Format,
): Promise<void> {
  const { id, role } = await findAdministrator(sql, email);
  const change = isDisabled ? 'disabled' : 'enabled';
  const mails = await composeMails(sql, { target: email, change, role });
  const result = await setAdministrator(sql, { id, isDisabled, actor: null, mails });
  if (result === 'last') throw buildLastError(email);
  print({ id, email, status: change }, format, `${email} is ${change}`);
}

async function changeRole(
  sql: Postgres,
  { email, role }: RoleOfAdministrator,
  format: Format,
): Promise<void> {
  const { id } = await findAdministrator(sql, email);
  const mails = await composeMails(sql, { target: email, change: 'role', role });
  const result = await setAdministratorRole(sql, { id, role }, mails);
  if (result === 'last') throw buildLastError(email);
  print({ id, email, role }, format, `${email} has the role ${role}`);
}

async function findAdministrator(sql: Postgres, email: string): Promise<AdministratorRow> {
  const rows = await listAdministrators(sql);
  const row = rows.find((each) => each.email === email);
  if (row === undefined) throw new Error(`no administrator has the address ${email}`);
  return row;
}

const buildLastError = (email: string): Error =>
  new Error(
    `${email} is the last administrator of the role admin; create or enable another one first`,
  );

async function preview(sql: Postgres, erasure: NewErasure, format: Format): Promise<void> {
  await checkSubject(sql, erasure);
  const [merchant] = await findMerchant(sql, erasure.merchantId);
  if (merchant === undefined) throw explainMerchant(erasure);
  const ids = await withProgress((tell) => previewErasure(sql, erasure, tell));
  const count = (prefix: IdPrefix): number =>
    ids.filter((id) => id.startsWith(`${prefix}_`)).length;
  const found = { payments: count('pay'), payouts: count('po'), invoices: count('inv') };
  const { payments, payouts, invoices } = found;
  const text = `${payments} payment(s), ${payouts} payout(s) and ${invoices} invoice(s) would be erased`;
  print({ ...found, dryRun: true }, format, text);
}

async function erase(sql: Postgres, erasure: NewErasure, format: Format): Promise<void> {
  await checkSubject(sql, erasure);
  if (!(await createErasureRequest(sql, null, erasure))) throw explainMerchant(erasure);
  const { id } = erasure;
  const text = `${id} requested; the webhooks processes erase a payment within seconds of its end`;
  print({ id }, format, text);
}

async function checkSubject(sql: Postgres, erasure: NewErasure): Promise<void> {
  if (await hasSubject(sql, erasure)) return;
  const { merchantId, environment, field, sought } = erasure;
  throw new Error(`${merchantId} has no ${field} ${sought} in ${environment}`);
}

const explainMerchant = ({ merchantId }: NewErasure): Error =>
  new Error(`no merchant ${merchantId}`);
