// Extracts the credential of a request from Authorization: Bearer or X-Api-Key. The same credential in both counts as
// one; two different ones are an error before either is looked up.
import type { Head } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';

const BEARER = /^Bearer +([^\s]+)$/i;

export type ExtractedCredential = { readonly text: string } | ApiError;

const MISSING = buildApiError('credential_missing');
const MIXED = buildApiError('credential_mixed');
const UNREADABLE = buildApiError('credential_invalid');
const WRONG_KIND = buildApiError('credential_wrong_kind');

/** The credential's text; empty: there is none. */
function extractAny(head: Head): ExtractedCredential {
  const { authorization, apiKey } = head;
  if (authorization === '') return { text: apiKey };
  const token = BEARER.exec(authorization)?.[1];
  if (apiKey !== '' && apiKey !== token) return MIXED;
  return token === undefined ? UNREADABLE : { text: token };
}

/** The secret key; an error when there is none, or a session instead. */
export function extractKey(head: Head): ExtractedCredential {
  const extracted = extractAny(head);
  if ('code' in extracted) return extracted;
  if (extracted.text === '') return MISSING;
  return extracted.text.startsWith('cs_') ? WRONG_KIND : extracted;
}

/** The session token; an error when there is none, or a secret key instead. */
export function extractSession(head: Head): ExtractedCredential {
  const extracted = extractAny(head);
  if ('code' in extracted) return extracted;
  if (extracted.text === '') return MISSING;
  if (extracted.text.startsWith('sk_') || head.apiKey !== '') return WRONG_KIND;
  return extracted;
}

/** A live key on a path that takes no key; undefined: there is none. */
export function extractStrayLiveKey(head: Head): string | undefined {
  if (head.authorization === '' && head.apiKey === '') return undefined;
  const extracted = extractAny(head);
  return 'text' in extracted && extracted.text.startsWith('sk_live_') ? extracted.text : undefined;
}
