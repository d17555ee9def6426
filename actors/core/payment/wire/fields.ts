// Reads fields of JSON that we wrote ourselves. What does not fit throws: it is a bug or damage, and whoever
// reads it must stop rather than guess. A field that is null is not written, so absent means null.
import { type AmountMinor, makeMinor } from '#actors/core/money.js';

export type Raw = Readonly<Record<string, unknown>>;

const AMOUNT = /^[0-9]{1,18}$/;
/** The last millisecond that a Date can hold. */
const MAX_TIME_MS = 8.64e15;

function malformed(key: string, value: unknown): TypeError {
  return new TypeError(`field ${key} is malformed (${typeof value})`);
}

export function parseObject(text: string): Raw {
  return toRaw(JSON.parse(text), 'root');
}

function toRaw(value: unknown, key: string): Raw {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Raw;
  throw malformed(key, value);
}

export function readObject(raw: Raw, key: string): Raw {
  return toRaw(raw[key], key);
}

export function readText(raw: Raw, key: string): string {
  const value = raw[key];
  if (typeof value === 'string') return value;
  throw malformed(key, value);
}

export function readInteger(raw: Raw, key: string): number {
  const value = raw[key];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw malformed(key, value);
}

export function readTime(raw: Raw, key: string): number {
  const value = readInteger(raw, key);
  if (value <= MAX_TIME_MS) return value;
  throw malformed(key, value);
}

/** Written as 1, or not at all. */
export function readFlag(raw: Raw, key: string): boolean {
  return raw[key] === 1;
}

export function readAmount(raw: Raw, key: string): AmountMinor {
  const text = readText(raw, key);
  if (AMOUNT.test(text)) return makeMinor(BigInt(text));
  throw malformed(key, text);
}

export function readOneOf<T extends string>(raw: Raw, key: string, values: readonly T[]): T {
  const value = raw[key];
  if ((values as readonly unknown[]).includes(value)) return value as T;
  throw malformed(key, value);
}

export function readId<T>(raw: Raw, key: string, parse: (text: string) => T | undefined): T {
  const id = parse(readText(raw, key));
  if (id !== undefined) return id;
  throw malformed(key, raw[key]);
}

export function readList<T>(
  raw: Raw,
  key: string,
  read: (item: Raw, index: number) => T,
): readonly T[] {
  const value = raw[key];
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw malformed(key, value);
  return value.map((item: unknown, index) => read(toRaw(item, key), index));
}

export function readListOf<T extends string>(
  raw: Raw,
  key: string,
  values: readonly T[],
): readonly T[] {
  return readWords(raw, key).map((word) => readOneOf({ [key]: word }, key, values));
}

function readWords(raw: Raw, key: string): readonly unknown[] {
  const value = raw[key] ?? [];
  if (Array.isArray(value)) return value;
  throw malformed(key, value);
}

/** An object of texts. */
export function readTexts(raw: Raw, key: string): Readonly<Record<string, string>> {
  if (raw[key] === undefined) return {};
  const texts = readObject(raw, key);
  for (const value of Object.values(texts)) {
    if (typeof value !== 'string') throw malformed(key, value);
  }
  return texts as Readonly<Record<string, string>>;
}

export function readTextOrNull(raw: Raw, key: string): string | null {
  return raw[key] === undefined ? null : readText(raw, key);
}

export function readTimeOrNull(raw: Raw, key: string): number | null {
  return raw[key] === undefined ? null : readTime(raw, key);
}

export function readOneOfOrNull<T extends string>(
  raw: Raw,
  key: string,
  values: readonly T[],
): T | null {
  return raw[key] === undefined ? null : readOneOf(raw, key, values);
}

/** Reads a field that may be absent. */
export function readOptional<T>(
  raw: Raw,
  key: string,
  read: (raw: Raw, key: string) => T,
): T | null {
  return raw[key] === undefined ? null : read(raw, key);
}

export function listOrNothing<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

export function flagOrNothing(isSet: boolean): 1 | undefined {
  return isSet ? 1 : undefined;
}
