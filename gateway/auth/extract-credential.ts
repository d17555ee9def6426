// Which credential a request presents: exactly one, in Authorization: Bearer or in X-Api-Key. The same one in
// both is one; two different ones are refused before either is looked at.
import { type ApiError, buildApiError } from '../routing/response.js';
import type { Head } from '../routing/request-head.js';

const BEARER = /^Bearer +([^\s]+)$/i;

export type ExtractedCredential = { readonly text: string } | ApiError;

const MISSING = buildApiError('credential_missing');
const MIXED = buildApiError('credential_mixed');
const UNREADABLE = buildApiError('credential_invalid');
const WRONG_KIND = buildApiError('credential_wrong_kind');

/** The text of the one credential; empty when there is none. */
function extractAny(head: Head): ExtractedCredential {
  const { authorization, apiKey } = head;
  if (authorization === '') return { text: apiKey };
  const token = readBearer(authorization);
  if (apiKey !== '' && apiKey !== token) return MIXED;
  return token === undefined ? UNREADABLE : { text: token };
}

/** The secret key that a request presents; refused when it presents none, or a session. */
export function extractKey(head: Head): ExtractedCredential {
  const presented = extractAny(head);
  if ('code' in presented) return presented;
  if (presented.text === '') return MISSING;
  return presented.text.startsWith('cs_') ? WRONG_KIND : presented;
}

/** The session that a request presents; refused when it presents none, or a secret key. */
export function extractSession(head: Head): ExtractedCredential {
  const presented = extractAny(head);
  if ('code' in presented) return presented;
  if (presented.text === '') return MISSING;
  if (presented.text.startsWith('sk_') || head.apiKey !== '') return WRONG_KIND;
  return presented;
}

/** A live key on a path that takes none; undefined when there is no such thing. */
export function extractStrayLiveKey(head: Head): string | undefined {
  if (head.authorization === '' && head.apiKey === '') return undefined;
  const presented = extractAny(head);
  return 'text' in presented && presented.text.startsWith('sk_live_') ? presented.text : undefined;
}

function readBearer(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}
