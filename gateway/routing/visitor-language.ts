// The language of a visitor: the one that the browser prefers, of the two that pages and mails are written in.
export type Language = 'id' | 'en';

const MAX_HEADER_CHARACTERS = 256;

/** The preferred one of both languages; Indonesian when the header names neither. */
export function chooseLanguage(acceptLanguage: string): Language {
  const preferences = acceptLanguage
    .slice(0, MAX_HEADER_CHARACTERS)
    .split(',')
    .map((preference) => {
      const [tag = '', weight = ''] = preference.split(';');
      const quality = /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(weight)?.[1];
      return { tag: tag.trim().toLowerCase(), quality: Number(quality ?? '1') };
    })
    .filter(({ tag, quality }) => /^(id|in|en)(-|$)/.test(tag) && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return preferences[0]?.tag.startsWith('en') === true ? 'en' : 'id';
}
