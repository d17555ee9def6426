// A document that a merchant sends to be verified.
import { randomBytes } from 'node:crypto';

/** A PNG file by its first bytes. */
export const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(2_000)]);
