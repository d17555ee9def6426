// Which credential a request presents: exactly one, in Authorization: Bearer or in X-Api-Key. The same one in
// both is one; two different ones are refused before either is looked at.
import { type Refusal, refuse } from '../routing/response.js';
import type { Head } from '../routing/request-head.js';

const BEARER = /^Bearer +([^\s]+)$/i;

export type Presented = { readonly text: string } | Refusal;

const MISSING = refuse('credential_missing');
const MIXED = refuse('credential_mixed');
const UNREADABLE = refuse('credential_invalid');
const WRONG_KIND = refuse('credential_wrong_kind');

/** The text of the one credential; empty when there is none. */
function presentAny(head: Head): Presented {
  const { authorization, apiKey } = head;
  if (authorization === '') return { text: apiKey };
  const token = readBearer(authorization);
  if (apiKey !== '' && apiKey !== token) return MIXED;
  return token === undefined ? UNREADABLE : { text: token };
}

/** The secret key that a request presents; refused when it presents none, or a session. */
export function presentKey(head: Head): Presented {
  const presented = presentAny(head);
  if ('code' in presented) return presented;
  if (presented.text === '') return MISSING;
  return presented.text.startsWith('cs_') ? WRONG_KIND : presented;
}

/** The session that a request presents; refused when it presents none, or a secret key. */
export function presentSession(head: Head): Presented {
  const presented = presentAny(head);
  if ('code' in presented) return presented;
  if (presented.text === '') return MISSING;
  if (presented.text.startsWith('sk_') || head.apiKey !== '') return WRONG_KIND;
  return presented;
}

/** A live key on a path that takes none; undefined when there is no such thing. */
export function presentStrayLiveKey(head: Head): string | undefined {
  if (head.authorization === '' && head.apiKey === '') return undefined;
  const presented = presentAny(head);
  return 'text' in presented && presented.text.startsWith('sk_live_') ? presented.text : undefined;
}

function readBearer(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}
