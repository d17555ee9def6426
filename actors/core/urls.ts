// The URLs that merchants set. They are stored in the form in which browsers show them, because other forms hide where they
// lead: `https:toko.example` names a host for a program, and in a link of a page a path of that page.

export const MAX_URL_CHARACTERS = 2_048;

const UNSAFE = /[\s\p{Cc}\p{Cf}\\]/u;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const isHttps = ({ protocol }: URL): boolean => protocol === 'https:';

export const isPageUrl = (url: URL): boolean =>
  isHttps(url) || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));

/** A page on the developer's own machine, which is taken in TEST only. `text` is a URL. */
export const isTestOnlyUrl = (text: string): boolean => !isHttps(new URL(text));

/** Without user information and without characters that browsers drop. The form that is stored may be longer. */
export function isSafeUrl(text: string, isTaken: (url: URL) => boolean): boolean {
  if (UNSAFE.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  const hasUser = url.username !== '' || url.password !== '';
  return isTaken(url) && !hasUser && url.href.length <= MAX_URL_CHARACTERS;
}

/** A text that is no URL stays as it is. */
export const normalizeUrl = (text: string): string =>
  URL.canParse(text) ? new URL(text).href : text;
