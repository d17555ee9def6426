// The rotation of an endpoint's secret. Whoever holds the old or the new secret can verify every delivery from
// the rotation until the switch, so a receiver changes over whenever it likes within that time:
//
//   steady      one secret signs
//   overlap     both sign; `X-…-Signature` is made with the old one, `-Next` with the new one
//   switched    the new one alone signs, from `switchInMs` 0 on
//
// A second rotation during an overlap is refused: it would have to drop a secret that was promised. Only a
// revocation (no overlap) goes through at any time: from then on nothing is signed but with the newest secret.
// Times are relative to the moment of the question, so that clocks of two machines are never compared.
import type { Secrets } from './sign.js';

/** As it is stored; the texts may be ciphertexts. */
export interface StoredSecrets {
  readonly secret: string;
  readonly nextSecret: string | null;
  /** Until `nextSecret` alone signs; zero or less: it does. null without one. */
  readonly switchInMs: number | null;
}

/** Those that sign at this moment. */
export function liveSecrets({ secret, nextSecret, switchInMs }: StoredSecrets): Secrets {
  if (nextSecret === null || switchInMs === null) return { current: secret, next: null };
  return switchInMs > 0
    ? { current: secret, next: nextSecret }
    : { current: nextSecret, next: null };
}

export interface Rotation {
  readonly newSecret: string;
  /** 0 revokes what was before at once. */
  readonly overlapMs: number;
}

/** What is stored from now on; `rotation_overlaps`: the one before is not over yet. */
export function rotateSecret(
  stored: StoredSecrets,
  { newSecret, overlapMs }: Rotation,
): StoredSecrets | 'rotation_overlaps' {
  if (overlapMs === 0) return { secret: newSecret, nextSecret: null, switchInMs: null };
  const { current, next } = liveSecrets(stored);
  if (next !== null) return 'rotation_overlaps';
  return { secret: current, nextSecret: newSecret, switchInMs: overlapMs };
}
