// The logo of a merchant: an upload is checked by its bytes; customers get it under a path that nobody can guess. There is
// no SVG, because one may hold scripts.
import { imageSize } from 'image-size';
import { type LogoId, makeId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { deleteLogo, findLogo, type Logo, storeLogo } from '#store/postgres/merchants/settings.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { buildActor } from '../auth/actor.js';
import { type Answer, buildApiError, reply, replyAs } from '../routing/response.js';
import type { NoParams, OpenRequest } from '../routing/request.js';
import type { MerchantRequest } from '../routing/session-route.js';
import { type SettingsDeps, showSettings } from './handlers.js';
import { MAX_LOGO_BYTES, MAX_LOGO_PX, type SetLogoRequest } from './schema.js';

const MEDIA_TYPES: Readonly<Record<string, Logo['mediaType']>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
};
const FOR_EVER = 'public, max-age=31536000, immutable';

const NO_LOGO = buildApiError('field_invalid', {
  message: `content must be a PNG or JPEG file in base64, of at most ${MAX_LOGO_BYTES} bytes.`,
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
  if (content.toString('base64') !== text || content.length > MAX_LOGO_BYTES) return NO_LOGO;
  const picture = measure(content);
  if (picture === undefined) return NO_LOGO;
  if (Math.max(picture.width, picture.height) > MAX_LOGO_PX) return TOO_LARGE;
  const id = makeId('logo', generateIdBytes());
  const logo = { id, mediaType: picture.mediaType, content };
  await storeLogo(deps.accounts, actor, request.session.merchantId, logo);
  return showSettings(deps, request);
}

interface Picture {
  readonly mediaType: Logo['mediaType'];
  readonly width: number;
  readonly height: number;
}

/** The size that a browser would decode. Undefined: it is no PNG and no JPEG. */
function measure(content: Buffer): Picture | undefined {
  try {
    const { type = '', width, height } = imageSize(content);
    const mediaType = MEDIA_TYPES[type];
    const isPicture = mediaType !== undefined && width > 0 && height > 0;
    return isPicture ? { mediaType, width, height } : undefined;
  } catch {
    return undefined;
  }
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
