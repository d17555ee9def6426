// The part of a merchant that pages show: its name, colour, logo and contact. Every page reads it and it rarely changes, so
// that it is cached.
import { LRUCache } from 'lru-cache';
import type { Storefront } from '#store/postgres/merchants/settings.js';
import { buildLogoPath, buildStylePath } from '#gateway/pages/brand-colours.js';
import { type Html, renderAround, renderHtml } from '#gateway/pages/html.js';
import type { Texts } from './texts.js';

const MAX_STOREFRONTS = 10_000;
const FRESH_MS = 60_000;

/** Of a merchant that does not exist, and of pages that show none. */
export const NO_STOREFRONT: Storefront = {
  name: '',
  brandColour: null,
  logoId: null,
  supportEmail: null,
  supportPhone: null,
  supportUrl: null,
};

/** `find` returns undefined for an unknown merchant. */
export function createStorefronts(
  find: (id: string) => Promise<Storefront | undefined>,
): (id: string) => Promise<Storefront> {
  const cache = new LRUCache<string, Storefront>({ max: MAX_STOREFRONTS, ttl: FRESH_MS });
  return async (id) => {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const storefront = (await find(id)) ?? NO_STOREFRONT;
    cache.set(id, storefront);
    return storefront;
  };
}

/** Style sheets to load after those of the page. */
export const listStyles = ({ brandColour }: Storefront): readonly string[] =>
  brandColour === null ? [] : [buildStylePath(brandColour)];

/** Without a text of its own, since the name is beside it. */
export function renderLogo({ logoId }: Storefront): Html | null {
  if (logoId === null) return null;
  return renderHtml`<p class="logo"><img src="${buildLogoPath(logoId)}" alt="" /></p>`;
}

/** Where customers ask for help; null: the merchant has not said. */
export function renderSupport(texts: Texts, storefront: Storefront): Html | null {
  const { name, supportEmail, supportPhone, supportUrl } = storefront;
  const contacts = [
    ...(supportEmail === null ? [] : [{ href: formatMailto(supportEmail), text: supportEmail }]),
    ...(supportPhone === null ? [] : [{ href: formatTel(supportPhone), text: supportPhone }]),
    ...(supportUrl === null ? [] : [{ href: supportUrl, text: new URL(supportUrl).host }]),
  ];
  if (contacts.length === 0) return null;
  return renderHtml`<div class="support">
    <h2>${renderAround(texts.support, name)}</h2>
    <ul>
      ${contacts.map(
        ({ href, text }) =>
          renderHtml`<li><a href="${href}" rel="noopener" translate="no">${text}</a></li>`,
      )}
    </ul>
  </div>`;
}

/** The address must not add fields to the mail. */
const formatMailto = (address: string): string =>
  `mailto:${address.replace(/[%?&#]/g, encodeURIComponent)}`;

const formatTel = (phone: string): string => `tel:${phone.replace(/[^0-9+]/g, '')}`;
