// Texts that come with a payment, a refund or a payout, before they are checked (../hidden-characters.ts says why). A text of
// which nothing is left is absent, and so is an empty e-mail address or phone number: many forms send them for a field that
// the customer left empty.
import { removeHidden } from '../hidden-characters.js';
import { readPhone } from '../typed-identifiers.js';

/** undefined: the field is absent. */
type ReadText = (text: string) => string | undefined;
type Fields = Readonly<Record<string, unknown>>;

const keepContent = (text: string, read: string): string | undefined =>
  read === '' && text !== '' ? undefined : read;

export const readFreeText: ReadText = (text) => keepContent(text, removeHidden(text));

/** Browsers drop line breaks and tabs of an address, too. */
export const readSentUrl: ReadText = (text) => keepContent(text, removeHidden(text, '').trim());

export const readSentEmail: ReadText = (text) => nameAbsent(removeHidden(text, '').trim());

export const readSentPhone: ReadText = (text) => nameAbsent(readPhone(text));

const nameAbsent = (read: string): string | undefined => (read === '' ? undefined : read);

/** `body` itself when its texts stay as they are. */
export function readTexts(body: unknown, readers: Readonly<Record<string, ReadText>>): unknown {
  if (!isFields(body)) return body;
  const changed: Record<string, string | undefined> = {};
  for (const [name, read] of Object.entries(readers)) {
    const text = body[name];
    if (typeof text !== 'string') continue;
    const kept = read(text);
    if (kept !== text) changed[name] = kept;
  }
  return Object.keys(changed).length === 0 ? body : dropAbsent({ ...body, ...changed });
}

/** A map of texts: its names are texts too. The last of equal names counts. */
export function readTextMap(value: unknown): unknown {
  if (!isFields(value)) return value;
  const entries = Object.entries(value);
  if (entries.every(([name, text]) => readFreeText(name) === name && readValue(text) === text)) {
    return value;
  }
  const read = entries.map(([name, text]) => [readFreeText(name), readValue(text)] as const);
  return Object.fromEntries(read.filter(([name]) => name !== undefined));
}

const readValue = (value: unknown): unknown =>
  typeof value === 'string' ? removeHidden(value) : value;

const dropAbsent = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
