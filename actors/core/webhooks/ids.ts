// Ids of endpoints, deliveries and replays. That of a delivery is derived from its event and its endpoint (by the
// statement that makes it), so that nothing can make two of one.
import { encodeBase32 } from '../ids.js';

export const ENDPOINT_ID_PATTERN = '^we_[0-7][0-9a-hjkmnp-tv-z]{25}$';
export const DELIVERY_ID_PATTERN = '^del_[0-9a-f]{32}$';
export const REPLAY_ID_PATTERN = '^rpl_[0-7][0-9a-hjkmnp-tv-z]{25}$';

const ENDPOINT = new RegExp(ENDPOINT_ID_PATTERN);
const DELIVERY = new RegExp(DELIVERY_ID_PATTERN);
const REPLAY = new RegExp(REPLAY_ID_PATTERN);

/** `random`: 16 bytes, here and below. */
export const newEndpointId = (random: Uint8Array): string => `we_${encodeBase32(random)}`;
export const newReplayId = (random: Uint8Array): string => `rpl_${encodeBase32(random)}`;

export const isEndpointId = (text: string): boolean => ENDPOINT.test(text);
export const isDeliveryId = (text: string): boolean => DELIVERY.test(text);
export const isReplayId = (text: string): boolean => REPLAY.test(text);
