// The settings of a merchant, which its users read and its owners change. Pages show a change within a minute
// (selling/checkout/storefronts.ts).
import {
  findEmailError,
  findFreeTextError,
  findPhoneError,
  findUrlError,
} from '#actors/core/requests/validation.js';
import { URL_REQUIREMENT } from '#actors/core/schemas/fields.js';
import { normalizeUrl } from '#actors/core/urls.js';
import type { Postgres } from '#store/postgres/client.js';
import { MERCHANT_NOTICE_KINDS } from '#store/postgres/accounts/notices.js';
import {
  changeSettings,
  findSettings,
  type Settings,
  type SettingsChange,
} from '#store/postgres/merchants/settings.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildStepUp, proveSecondFactor } from '#gateway/auth/step-up.js';
import { buildActor } from '#gateway/auth/actor.js';
import { composeChangeMails } from '#gateway/mail/owner-mails.js';
import type { ErrorCode } from '#gateway/routing/errors.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import { listProtectedChanges } from './protected-settings.js';
import { type UpdateSettingsRequest } from './schema.js';
import { buildLogoPath } from '#gateway/pages/brand-colours.js';

export interface SettingsDeps extends AccountDeps {
  readonly lists: Postgres;
  readonly baseUrl: string;
}

export async function showSettings(
  { accounts, baseUrl }: Pick<SettingsDeps, 'accounts' | 'baseUrl'>,
  { session }: Pick<MerchantRequest, 'session'>,
): Promise<Answer> {
  const [row] = await findSettings(accounts, session.merchantId);
  if (row === undefined) return buildApiError('session_expired');
  const settings = {
    object: 'merchant_settings',
    display_name: row.displayName,
    brand_colour: row.brandColour,
    logo_url: row.logoId === null ? null : baseUrl + buildLogoPath(row.logoId),
    support_email: row.supportEmail,
    support_phone: row.supportPhone,
    support_url: row.supportUrl,
    notices: Object.fromEntries(
      MERCHANT_NOTICE_KINDS.map((kind) => [kind, row.notices.includes(kind)]),
    ),
    receipts: { enabled: row.sendsReceipts, language: row.receiptLanguage },
  };
  return reply(200, JSON.stringify(settings));
}

/** Returns 200 with the settings. Absent fields stay, null clears a field. */
export async function updateSettings(
  deps: SettingsDeps,
  request: MerchantRequest<NoParams, UpdateSettingsRequest>,
): Promise<Answer> {
  const actor = buildActor(request);
  const maker = buildStepUp(request);
  const { merchantId } = request.session;
  const error = checkTexts(request.body);
  if (error !== undefined) return error;
  const [before] = await findSettings(deps.accounts, merchantId);
  if (before === undefined) return buildApiError('session_expired');
  const change = readChange(request.body);
  const protectedChanges = listProtectedChanges(before, change);
  const unproven = protectedChanges.length === 0 ? undefined : await proveSecondFactor(deps, maker);
  if (unproven !== undefined) return unproven;
  const mails = await Promise.all(
    protectedChanges.map((each) => composeChangeMails(deps, maker, each)),
  );
  await changeSettings(deps.accounts, actor, merchantId, { ...change, mails: mails.flat() });
  deps.nudgeMailer();
  return showSettings(deps, request);
}

type TextField = 'display_name' | 'support_email' | 'support_phone' | 'support_url';

const findNameError = (text: string): ErrorCode | null =>
  text.trim() === '' ? 'field_invalid' : findFreeTextError(text);

const CHECKS = {
  display_name: findNameError,
  support_email: findEmailError,
  support_phone: findPhoneError,
  support_url: (text) => findUrlError(text),
} as const satisfies Record<TextField, (text: string) => ErrorCode | null>;

const NOT_HTTPS = buildApiError('url_invalid', {
  param: 'support_url',
  message: `support_url ${URL_REQUIREMENT}, or null.`,
});

function checkTexts(body: UpdateSettingsRequest): ApiError | undefined {
  for (const [param, find] of Object.entries(CHECKS)) {
    const text = body[param as TextField];
    const code = typeof text === 'string' ? find(text) : null;
    if (code === 'url_invalid') return NOT_HTTPS;
    if (code !== null) return buildApiError(code, { param });
  }
  return undefined;
}

function readChange(body: UpdateSettingsRequest): SettingsChange {
  const wanted = Object.entries(body.notices ?? {});
  const listKinds = (isOn: boolean): readonly string[] =>
    wanted.filter(([, value]) => value === isOn).map(([kind]) => kind);
  return { fields: readFields(body), on: listKinds(true), off: listKinds(false) };
}

function readFields(body: UpdateSettingsRequest): Partial<Settings> {
  const change = {
    displayName: body.display_name,
    brandColour: body.brand_colour?.toLowerCase() ?? body.brand_colour,
    supportEmail: body.support_email,
    supportPhone: body.support_phone,
    supportUrl: body.support_url && normalizeUrl(body.support_url),
    sendsReceipts: body.receipts?.enabled,
    receiptLanguage: body.receipts?.language,
  };
  const named = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named);
}
