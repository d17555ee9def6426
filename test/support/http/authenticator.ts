// An authenticator in software: it makes ES256 passkeys, by default without attestation, and signs assertions, as the WebAuthn specification
// says. Its answers can be wrong in one place. A browser test uses Chromium's own.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Ceremony {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
}

/** The way in which the authenticator is wrong. */
export interface Fault {
  readonly type?: string;
  readonly flags?: number;
  readonly userHandle?: string;
  /** Signs with a key of somebody else. */
  readonly isForged?: boolean;
}

/** Returns an attestation object with the data of the authenticator. */
export type Attest = (data: Buffer, sign: (bytes: Buffer) => Buffer) => Buffer;

export interface SoftAuthenticator {
  readonly id: string;
  /** How often it has signed; a test may turn it back. */
  count: number;
  register(ceremony: Ceremony, attest?: Attest): object;
  assert(ceremony: Ceremony, fault?: Fault): object;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const ATTESTED = 0x40;
const FLAGS = PRESENT | VERIFIED | BACKUP_ELIGIBLE | BACKED_UP;
const AAGUID = Buffer.alloc(16);

const toBase64Url = (bytes: Buffer): string => bytes.toString('base64url');
const digest = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();

export function makeAuthenticator(): SoftAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = toBase64Url(credentialId);
  const authenticator: SoftAuthenticator = {
    id,
    count: 0,
    register: (ceremony, attest = encodeAttestation) => {
      const length = Buffer.from([0, credentialId.length]);
      const attested = Buffer.concat([AAGUID, length, credentialId, encodeKey(publicKey)]);
      const data = buildData(ceremony.rpId, FLAGS | ATTESTED, authenticator.count, attested);
      const clientDataJSON = buildClientData(ceremony, 'webauthn.create');
      const signWithClientData = (bytes: Buffer): Buffer =>
        sign(
          'sha256',
          Buffer.concat([bytes, digest(Buffer.from(clientDataJSON, 'base64url'))]),
          privateKey,
        );
      const response = {
        clientDataJSON,
        attestationObject: toBase64Url(attest(data, signWithClientData)),
        transports: ['internal', 'hybrid'],
      };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },
    assert: (ceremony, { type = 'webauthn.get', flags = FLAGS, userHandle, isForged } = {}) => {
      authenticator.count += 1;
      const data = buildData(ceremony.rpId, flags, authenticator.count);
      const clientDataJSON = buildClientData(ceremony, type);
      const key = isForged === true ? makeKey() : privateKey;
      const signed = Buffer.concat([data, digest(Buffer.from(clientDataJSON, 'base64url'))]);
      const response = {
        clientDataJSON,
        authenticatorData: toBase64Url(data),
        signature: toBase64Url(sign('sha256', signed, key)),
        ...(userHandle === undefined ? {} : { userHandle }),
      };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },
  };
  return authenticator;
}

const makeKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

function buildClientData({ challenge, origin }: Ceremony, type: string): string {
  return toBase64Url(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })));
}

function buildData(rpId: string, flags: number, count: number, attested = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(count, 1);
  return Buffer.concat([digest(rpId), head, attested]);
}

/** The key in COSE form: kty EC2, alg ES256, crv P-256, x, y. */
function encodeKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const point = (label: number, value: string): Buffer =>
    Buffer.concat([Buffer.from([label, 0x58, 32]), Buffer.from(value, 'base64url')]);
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
  return Buffer.concat([head, point(0x21, x), point(0x22, y)]);
}

export const encodeText = (value: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
export const encodeBytes = (value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x58, value.length]), value]);

/** `{ fmt: 'none', attStmt: {}, authData }` in CBOR. */
function encodeAttestation(data: Buffer): Buffer {
  return Buffer.concat([
    ...[Buffer.from([0xa3]), encodeText('fmt'), encodeText('none')],
    ...[encodeText('attStmt'), Buffer.from([0xa0]), encodeText('authData'), encodeBytes(data)],
  ]);
}
