// The rotation of an endpoint's secret. A receiver that knows the old or the new secret can verify every delivery during
// the overlap, so it changes over at any time before the switch:
//
//   STEADY     one secret signs
//   OVERLAP    both sign: `X-…-Signature` with the old one, `X-…-Signature-Next` with the new one
//   SWITCHED   the new one alone signs, from `switchInMs` 0 on
//
// A second rotation during an overlap is rejected, because it would drop a secret that was promised. A revocation (no
// overlap) is allowed at any time; only its new secret signs from then on. Times are relative to the moment of the call,
// so that clocks of two machines are never compared.
import type { Secrets } from './sign.js';

/** The stored form; the texts may be ciphertexts. */
export interface StoredSecrets {
  readonly secret: string;
  readonly nextSecret: string | null;
  /** The time until `nextSecret` alone signs; zero or less: it does now. null: there is no next secret. */
  readonly switchInMs: number | null;
}

/** The secrets that sign now. */
export function selectLiveSecrets({ secret, nextSecret, switchInMs }: StoredSecrets): Secrets {
  if (nextSecret === null || switchInMs === null) return { current: secret, next: null };
  return switchInMs > 0
    ? { current: secret, next: nextSecret }
    : { current: nextSecret, next: null };
}

export interface Rotation {
  readonly newSecret: string;
  /** 0 revokes the former secrets at once. */
  readonly overlapMs: number;
}

/** Returns the new stored form, or `rotation_overlaps` while the former rotation is under way. */
export function rotateSecret(
  stored: StoredSecrets,
  { newSecret, overlapMs }: Rotation,
): StoredSecrets | 'rotation_overlaps' {
  if (overlapMs === 0) return { secret: newSecret, nextSecret: null, switchInMs: null };
  const { current, next } = selectLiveSecrets(stored);
  if (next !== null) return 'rotation_overlaps';
  return { secret: current, nextSecret: newSecret, switchInMs: overlapMs };
}
