// The opaque id in the address that a rail sends its callbacks to: it follows from ID_KEY, and shows no rail's name.
import { createHmac } from 'node:crypto';
import { encodeBase32 } from '../ids.js';
import { LIVE_RAIL_NAMES, type RailName } from './answers.js';

const ID_BYTES = 16;
export const CALLBACK_ID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export function callbackIdOf(idKey: Uint8Array, rail: RailName): string {
  const digest = createHmac('sha256', idKey).update(`rail callbacks:${rail}`).digest();
  return encodeBase32(digest.subarray(0, ID_BYTES));
}

/** Below the base address. */
export function callbackPathOf(idKey: Uint8Array, rail: RailName): string {
  return `/v1/rails/${callbackIdOf(idKey, rail)}/callbacks`;
}

/** By id, every rail that can call back. */
export function railsByCallbackId(idKey: Uint8Array): ReadonlyMap<string, RailName> {
  return new Map(LIVE_RAIL_NAMES.map((rail) => [callbackIdOf(idKey, rail), rail]));
}
