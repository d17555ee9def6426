// The logo of a merchant: an upload is checked by its bytes; customers get it under a path that nobody can guess. There is
// no SVG, because one may hold scripts.
import { type LogoId, makeId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { deleteLogo, findLogo, storeLogo } from '#store/postgres/merchants/settings.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { buildActor } from '#gateway/auth/actor.js';
import { type Answer, buildApiError, reply, replyAs } from '#gateway/routing/response.js';
import type { NoParams, OpenRequest } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import { type SettingsDeps, showSettings } from './handlers.js';
import { measurePicture } from './measure-picture.js';
import { LOGO_REQUIREMENT, MAX_LOGO_PX, type SetLogoRequest } from './schema.js';

const FOR_EVER = 'public, max-age=31536000, immutable';

const NO_LOGO = buildApiError('field_invalid', {
  message: `content ${LOGO_REQUIREMENT}.`,
  param: 'content',
});
const TOO_LARGE = buildApiError('field_invalid', {
  message: `content must be a picture of at most ${MAX_LOGO_PX} × ${MAX_LOGO_PX} pixels.`,
  param: 'content',
});

/** Returns 200 with the settings; the logo before is deleted. */
export async function setLogo(
  deps: SettingsDeps,
  request: MerchantRequest<NoParams, SetLogoRequest>,
): Promise<Answer> {
  const actor = buildActor(request);
  const text = request.body.content;
  const content = Buffer.from(text, 'base64');
  const picture = measurePicture(content);
  if (picture === undefined || content.toString('base64') !== text) return NO_LOGO;
  if (Math.max(picture.width, picture.height) > MAX_LOGO_PX) return TOO_LARGE;
  const id = makeId('logo', generateIdBytes());
  const logo = { id, mediaType: picture.mediaType, content };
  await storeLogo(deps.accounts, actor, request.session.merchantId, logo);
  return showSettings(deps, request);
}

/** Returns 204, also if there is none. */
export async function removeLogo(deps: SettingsDeps, request: MerchantRequest): Promise<Answer> {
  await deleteLogo(deps.accounts, buildActor(request), request.session.merchantId);
  return reply(204, '');
}

/** The picture, which is never run: it has the type of its bytes, and a policy that allows nothing. */
export async function serveLogo(
  { lists }: { readonly lists: Postgres },
  { params }: OpenRequest<{ logo_id: LogoId }>,
): Promise<Answer> {
  const [logo] = await findLogo(lists, params.logo_id);
  if (logo === undefined) return buildApiError('path_not_found');
  const policy = ['Content-Security-Policy', "sandbox; default-src 'none'"] as const;
  return {
    ...replyAs(logo.mediaType, 200, logo.content, [policy]),
    cacheControl: FOR_EVER,
  };
}
