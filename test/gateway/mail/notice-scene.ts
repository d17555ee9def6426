// A LIVE service with two gateways that mail to a real SMTP receiver, and merchants with a user of each role.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MerchantId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { MERCHANT_ROLES, type MerchantRole } from '#gateway/routing/roles.js';
import { approveMerchant, beginSession, makeMerchant, makePerson } from '#test/support/accounts.js';
import { type Api, openApi } from '#test/support/api.js';
import { startProcess } from '#test/support/processes.js';
import { openKey } from '#test/support/rails/payouts.js';
import { type RailService, startRails, startRailService } from '#test/support/rails/service.js';
import type { TestScope } from '#test/support/servers.js';
import { type ReadMessage, readMessage, startSmtp } from '#test/support/peers/smtp.js';

export interface Cast {
  readonly merchantId: MerchantId;
  /** With the session of the owner. */
  readonly api: Api;
  readonly test: Api;
  readonly live: Api;
  readonly emails: Readonly<Record<MerchantRole, string>>;
}

export interface CastSettings extends Readonly<Record<string, unknown>> {
  /** Kinds of notices that are switched off. */
  readonly off?: readonly string[];
}

export interface NoticeStage extends RailService {
  readonly admin: Api;
  /** Owners read English, the others Indonesian. A second owner has not proven the address. */
  readonly openCast: (settings?: CastSettings) => Promise<Cast>;
  readonly listMessages: () => readonly ReadMessage[];
  readonly countTo: (email: string) => number;
  /** The mails to each role. */
  readonly countAll: (cast: Cast) => Readonly<Record<string, number>>;
  readonly waitForMail: (email: string, subject: RegExp) => Promise<ReadMessage>;
  /** No notice and no mail waits, so that a mail which was not sent is never sent. */
  readonly waitUntilIdle: () => Promise<unknown>;
}

export async function startNotices(t: TestScope): Promise<NoticeStage> {
  const smtp = await startSmtp(t);
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Kasir <a@kasir.example>' };
  const stage = await startRailService(t, { ...mail, RAIL_SYNC_SCHEDULE: '3600' });
  await startRails(stage);
  await startProcess(t, 'gateway', stage.variables);
  await startProcess(t, 'webhooks', stage.variables);
  const { sql, baseUrl } = stage;
  const office = await makePerson(sql, 'admin', null);
  const listMessages = (): readonly ReadMessage[] => smtp.messages.map(readMessage);
  const countTo = (email: string): number =>
    listMessages().filter(({ to }) => to.toLowerCase() === email.toLowerCase()).length;
  return {
    ...stage,
    admin: openApi(baseUrl, await beginSession(sql, office)),
    openCast: (settings = {}) => openCast(stage, settings),
    listMessages,
    countTo,
    countAll: ({ emails }) =>
      Object.fromEntries(MERCHANT_ROLES.map((role) => [role, countTo(emails[role])])),
    waitForMail: async (email, subject) => {
      const mail = await waitUntil(`${String(subject)} to ${email}`, () =>
        listMessages().find(
          (each) => each.to.toLowerCase() === email.toLowerCase() && subject.test(each.subject),
        ),
      );
      keep(mail);
      return mail;
    },
    waitUntilIdle: () =>
      waitUntil('no notice and no mail waits', async () => {
        const [row] = await sql`
          select (select count(*)::int from notices where ended_at is null and error is null)
               + (select count(*)::int from mails where sent_at is null) as waiting`;
        return row?.['waiting'] === 0;
      }),
  };
}

async function openCast({ sql, baseUrl }: RailService, settings: CastSettings): Promise<Cast> {
  const merchantId = await makeMerchant(sql, 'Kopi Kawan');
  const people = new Map<MerchantRole, Awaited<ReturnType<typeof makePerson>>>();
  for (const role of MERCHANT_ROLES) people.set(role, await makePerson(sql, role, merchantId));
  const emailOf = (role: MerchantRole): string => people.get(role)?.email ?? '';
  await sql`update users set language = 'en' where email = ${emailOf('owner')}`;
  const unproven = await makePerson(sql, 'owner', merchantId);
  await sql`update users set verified_at = null where id = ${unproven.userId}`;
  const owner = people.get('owner') ?? unproven;
  const api = openApi(baseUrl, await beginSession(sql, owner));
  // Before LIVE, since a test would count the mails to the owners about its second factor and what it protects.
  const { off = [], ...body } = settings;
  const set = await api.call('/v1/merchants/me/settings', { method: 'PATCH', body });
  if (set.status !== 200) throw new Error(set.text);
  await sql`
    update merchants set notices = array(select unnest(notices) except select unnest(${[...off]}::text[]))
     where id = ${merchantId}`;
  await approveMerchant(sql, merchantId);
  return {
    ...{ merchantId, api },
    test: await openKey(baseUrl, sql, merchantId, 'TEST', []),
    live: await openKey(baseUrl, sql, merchantId, 'LIVE', []),
    emails: {
      ...{ owner: emailOf('owner'), developer: emailOf('developer') },
      ...{ finance: emailOf('finance'), viewer: emailOf('viewer') },
    },
  };
}

/** Keeps the mails that a test has read: SHOTS=<folder>. */
function keep({ to, subject, text }: ReadMessage): void {
  const folder = process.env['SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  const name = `mail-${subject.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60)}.txt`;
  writeFileSync(join(folder, name), `To: ${to}\nSubject: ${subject}\n\n${text}`);
}
