// Routes of a merchant's settings, and of the pictures and colours that its customers' browsers load.
import { parseLogoId } from '#actors/core/ids.js';
import { replyAs } from '#gateway/routing/response.js';
import { buildBodySpec, defineOpenRoute, type Route } from '#gateway/routing/route.js';
import { defineMerchantRoute } from '#gateway/routing/session-route.js';
import { parseStyleName, renderBrandStyle } from '#gateway/pages/brand-colours.js';
import { type SettingsDeps, showSettings, updateSettings } from './handlers.js';
import { removeLogo, serveLogo, setLogo } from './logo.js';
import * as wire from './schema.js';

const SETTINGS = '/v1/merchants/me/settings';
const LOGO = '/v1/merchants/me/logo';
/** The colours around a brand's may change with a release, so that the style sheet is not kept for ever. */
const FOR_A_DAY = 'public, max-age=86400';

export const buildSettingsRoutes = (deps: SettingsDeps): readonly Route[] => [
  defineMerchantRoute({
    method: 'GET',
    path: SETTINGS,
    operationId: 'getSettings',
    summary: 'Show the settings of the merchant',
    description: 'Customers see them on the hosted page, on payment links and on invoices.',
    permission: 'read_merchant',
    answers: { 200: wire.Settings },
    handle: (request) => showSettings(deps, request),
  }),
  defineMerchantRoute({
    method: 'PATCH',
    path: SETTINGS,
    operationId: 'updateSettings',
    summary: 'Change the settings of the merchant',
    description:
      'Absent fields stay; `null` clears a field. Pages show the change within a minute. Switching off a mail to the team or ' +
      'receipts to customers, and changing the contact of a merchant that has LIVE, needs `totp_code` (403 with that ' +
      '`param` without it), and the owners get a mail.',
    permission: 'change_settings',
    body: buildBodySpec(wire.UpdateSettingsRequest),
    answers: { 200: wire.Settings },
    errors: ['card_data_refused', 'url_invalid', 'rate_limited'],
    handle: (request) => updateSettings(deps, request),
  }),
  defineMerchantRoute({
    method: 'PUT',
    path: LOGO,
    operationId: 'setLogo',
    summary: 'Upload the logo of the merchant',
    description: 'Replaces the logo before.',
    permission: 'change_settings',
    limit: 'logo',
    body: buildBodySpec(wire.SetLogoRequest),
    answers: { 200: wire.Settings },
    handle: (request) => setLogo(deps, request),
  }),
  defineMerchantRoute({
    method: 'DELETE',
    path: LOGO,
    operationId: 'removeLogo',
    summary: 'Remove the logo of the merchant',
    description: 'Succeeds also if there is none.',
    permission: 'change_settings',
    answers: { 204: null },
    handle: (request) => removeLogo(deps, request),
  }),
];

export const buildStorefrontRoutes = (deps: Pick<SettingsDeps, 'lists'>): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/logos/{logo_id}',
    cpuUs: 600,
    summary: 'The logo of a merchant',
    params: { logo_id: { parse: parseLogoId, code: 'path_not_found' } },
    limit: 'checkout',
    answers: { 200: null },
    mediaType: '*/*',
    errors: ['dependency_unavailable'],
    handle: (request) => serveLogo(deps, request),
  }),
  defineOpenRoute({
    method: 'GET',
    path: '/brand-styles/{style}',
    cpuUs: 150,
    summary: 'The style sheet of a colour',
    params: { style: { parse: parseStyleName, code: 'path_not_found' } },
    answers: { 200: null },
    mediaType: 'text/css',
    handle: ({ params }) => ({
      ...replyAs('text/css; charset=utf-8', 200, renderBrandStyle(params.style)),
      cacheControl: FOR_A_DAY,
    }),
  }),
];
