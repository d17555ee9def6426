// How merchants appear to their customers: the settings, and the logo.
import type { LogoId, MerchantId } from '#actors/core/ids.js';
import { insertMailsFrom, type Mail } from '../accounts/mails.js';
import type { Postgres } from '../client.js';
import { selectActor, type Actor } from '../operations/audit.js';

/** The part of a merchant that customers see. */
export interface Storefront {
  readonly name: string;
  /** `#0b5cad`; null: the colour of the service. */
  readonly brandColour: string | null;
  readonly logoId: LogoId | null;
  readonly supportEmail: string | null;
  readonly supportPhone: string | null;
  readonly supportUrl: string | null;
}

/** The settings that a merchant writes; `displayName` null: the business name. */
export interface Settings extends Omit<Storefront, 'name' | 'logoId'> {
  readonly displayName: string | null;
  readonly sendsReceipts: boolean;
  readonly receiptLanguage: string;
}

export interface SettingsRow extends Settings {
  readonly businessName: string;
  readonly verificationStatus: string;
  readonly isLiveEnabled: boolean;
  readonly logoId: LogoId | null;
  /** The kinds of mails that are on. */
  readonly notices: readonly string[];
}

const CHANGED_COLUMNS = {
  displayName: 'display_name',
  brandColour: 'brand_colour',
  supportEmail: 'support_email',
  supportPhone: 'support_phone',
  supportUrl: 'support_url',
  sendsReceipts: 'sends_receipts',
  receiptLanguage: 'receipt_language',
} as const satisfies Record<keyof Settings, string>;

const selectSettings = (sql: Postgres) => sql`
  select m.display_name as "displayName", m.brand_colour as "brandColour", l.id as "logoId",
         m.support_email as "supportEmail", m.support_phone as "supportPhone",
         m.support_url as "supportUrl", to_json(m.notices) as notices,
         m.sends_receipts as "sendsReceipts", m.receipt_language as "receiptLanguage",
         m.business_name as "businessName", m.verification_status as "verificationStatus",
         m.live_enabled as "isLiveEnabled", coalesce(m.display_name, m.business_name) as name
    from merchants m left join merchant_logos l on l.merchant_id = m.id`;

/** Undefined: there is no such merchant. */
export async function findStorefront(
  sql: Postgres,
  id: string,
): Promise<(Storefront & SettingsRow) | undefined> {
  const [row] = await sql<(Storefront & SettingsRow)[]>`${selectSettings(sql)} where m.id = ${id}`;
  return row;
}

/** Empty: there is no such merchant. */
export async function findSettings(sql: Postgres, id: MerchantId): Promise<SettingsRow[]> {
  return sql<SettingsRow[]>`${selectSettings(sql)} where m.id = ${id}`;
}

export interface SettingsChange {
  /** Absent fields stay. */
  readonly fields: Partial<Settings>;
  /** Kinds of mails to switch on and off; the others stay. */
  readonly on: readonly string[];
  readonly off: readonly string[];
  /** To the owners, stored with the change. */
  readonly mails?: readonly Mail[];
}

export async function changeSettings(
  sql: Postgres,
  actor: Actor,
  id: MerchantId,
  { fields, on, off, mails = [] }: SettingsChange,
): Promise<void> {
  const named = Object.entries(fields).map(([field, value]) => [
    CHANGED_COLUMNS[field as keyof Settings],
    value,
  ]);
  const columns = Object.fromEntries(named) as Record<string, string>;
  const update =
    named.length === 0 ? sql`update merchants set` : sql`update merchants set ${sql(columns)},`;
  await sql`
    with ${selectActor(sql, actor)},
    changed as (
      ${update} notices = array(select kind from unnest(notices || ${[...on]}::text[]) as kind
                                 where kind <> all(${[...off]}::text[]) group by kind order by kind)
        from acting where id = ${id} returning 1)
    ${insertMailsFrom(sql, mails, 'changed')}`;
}

export const LOGO_TYPES = ['image/png', 'image/jpeg'] as const;

export interface Logo {
  readonly id: LogoId;
  readonly mediaType: (typeof LOGO_TYPES)[number];
  readonly content: Buffer;
}

/** Replaces the merchant's logo. */
export async function storeLogo(
  sql: Postgres,
  actor: Actor,
  merchantId: MerchantId,
  { id, mediaType, content }: Logo,
): Promise<void> {
  await sql`
    with ${selectActor(sql, actor)}
    insert into merchant_logos (merchant_id, id, media_type, content)
    select ${merchantId}, ${id}, ${mediaType}, ${content} from acting
    on conflict (merchant_id) do update
       set id = excluded.id, media_type = excluded.media_type, content = excluded.content,
           created_at = excluded.created_at`;
}

export async function deleteLogo(
  sql: Postgres,
  actor: Actor,
  merchantId: MerchantId,
): Promise<void> {
  await sql`
    with ${selectActor(sql, actor)}
    delete from merchant_logos l using acting where l.merchant_id = ${merchantId}`;
}

/** Empty: no merchant has this logo now. */
export async function findLogo(sql: Postgres, id: LogoId): Promise<Logo[]> {
  return sql<Logo[]>`
    select id, media_type as "mediaType", content from merchant_logos where id = ${id}`;
}
