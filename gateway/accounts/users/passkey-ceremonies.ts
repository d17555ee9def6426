// The two ceremonies of WebAuthn, by @simplewebauthn/server: an authenticator registers a passkey, and proves that it has it.
//
//   a challenge is OPEN ──its answer arrives──▶ TAKEN        OPEN ──CHALLENGE_MS──▶ EXPIRED
//
// A challenge belongs to one user, one purpose, and one session or login. It is taken before its answer is checked, so a
// wrong answer needs a new one. The origin and the relying party are those of BASE_URL.
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { makeId, type PasskeyId, type UserId } from '#actors/core/ids.js';
import {
  type ChallengeOwner,
  listPasskeys,
  type NewPasskey,
  type PasskeyRow,
  recordPasskeyUse,
  storeChallenge,
  takeChallenge,
} from '#store/postgres/accounts/passkeys.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import type { AccountDeps, RelyingParty } from '#gateway/auth/account-deps.js';

/** People look for their telephone meanwhile. */
const CHALLENGE_MS = 5 * 60_000;
/** The longest challenge that is looked up; ours have 43 characters. */
const MAX_CHALLENGE_CHARACTERS = 64;
const MAX_TRANSPORTS = 8;
const TRANSPORT = /^[a-z-]{1,20}$/;

export function createRelyingParty(baseUrl: string, name: string): RelyingParty {
  const { hostname, origin } = new URL(baseUrl);
  return { id: hostname, name, origin };
}

type CeremonyDeps = Pick<AccountDeps, 'accounts' | 'relyingParty'>;

/** As a browser sends it; unchecked. */
export type PasskeyAnswer = Readonly<Record<string, unknown>>;

const toBase64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const toHex = (base64url: string): string => Buffer.from(base64url, 'base64url').toString('hex');

/** The options for `navigator.credentials.create`. */
export async function beginRegistration(
  { accounts, relyingParty }: CeremonyDeps,
  owner: ChallengeOwner,
  email: string,
): Promise<object> {
  const known = await listPasskeys(accounts, owner.userId);
  const options = await generateRegistrationOptions({
    rpID: relyingParty.id,
    rpName: relyingParty.name,
    userID: Uint8Array.from(Buffer.from(owner.userId)),
    userName: email,
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    excludeCredentials: known.map(describeCredential),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  await storeChallenge(accounts, owner, toHex(options.challenge), CHALLENGE_MS);
  return options;
}

/** Returns 'attested' if it has an attestation, and undefined if the answer is wrong or its challenge was not open. */
export async function finishRegistration(
  { accounts, relyingParty }: CeremonyDeps,
  owner: ChallengeOwner,
  answer: PasskeyAnswer,
): Promise<Omit<NewPasskey, 'name'> | 'attested' | undefined> {
  const expectedChallenge = await takeAnswered(accounts, owner, answer);
  if (expectedChallenge === undefined) return undefined;
  const response = answer as unknown as RegistrationResponseJSON;
  if (!isWithoutAttestation(response.response.attestationObject)) return 'attested';
  const { registrationInfo: info } = await verifyQuietly(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
    }),
  );
  if (info === undefined) return undefined;
  const { credential } = info;
  return {
    id: makeId('pkey', generateIdBytes()),
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    transports: readTransports(response.response.transports),
    isBackupEligible: info.credentialDeviceType === 'multiDevice',
    isBackedUp: info.credentialBackedUp,
  };
}

/** The options for `navigator.credentials.get`. */
export async function beginAssertion(
  { accounts, relyingParty }: CeremonyDeps,
  owner: ChallengeOwner,
): Promise<object> {
  const known = await listPasskeys(accounts, owner.userId);
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    timeout: CHALLENGE_MS,
    allowCredentials: known.map(describeCredential),
    userVerification: 'preferred',
  });
  await storeChallenge(accounts, owner, toHex(options.challenge), CHALLENGE_MS);
  return options;
}

/** Returns the passkey that was proven; undefined if the answer is wrong or its challenge was not open. */
export async function finishAssertion(
  { accounts, relyingParty }: CeremonyDeps,
  owner: ChallengeOwner,
  answer: PasskeyAnswer,
): Promise<PasskeyId | undefined> {
  const expectedChallenge = await takeAnswered(accounts, owner, answer);
  if (expectedChallenge === undefined) return undefined;
  const passkey = await findAnswering(accounts, owner.userId, answer);
  if (passkey === undefined) return undefined;
  const { verified: isVerified, authenticationInfo: info } = await verifyQuietly(() =>
    verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
      expectedChallenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
      credential: {
        id: toBase64Url(passkey.credentialId),
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: passkey.signCount,
      },
    }),
  );
  if (isVerified !== true || info === undefined) return undefined;
  const { newCounter: signCount, credentialBackedUp: isBackedUp } = info;
  const use = { id: passkey.id, signCount, isBackedUp };
  return (await recordPasskeyUse(accounts, use)) ? passkey.id : undefined;
}

const describeCredential = ({ credentialId, transports }: PasskeyRow) => ({
  id: toBase64Url(credentialId),
  transports: [...transports],
});

async function findAnswering(
  accounts: AccountDeps['accounts'],
  userId: UserId,
  { id }: PasskeyAnswer,
): Promise<PasskeyRow | undefined> {
  const known = await listPasskeys(accounts, userId);
  return known.find(({ credentialId }) => toBase64Url(credentialId) === id);
}

/** Takes the challenge that the answer names; undefined: it was not open. */
async function takeAnswered(
  accounts: AccountDeps['accounts'],
  owner: ChallengeOwner,
  answer: PasskeyAnswer,
): Promise<string | undefined> {
  const challenge = readChallenge(answer);
  if (challenge === undefined) return undefined;
  return (await takeChallenge(accounts, owner, toHex(challenge))) ? challenge : undefined;
}

function readChallenge({ response }: PasskeyAnswer): string | undefined {
  try {
    const { clientDataJSON } = response as { clientDataJSON: string };
    const text = Buffer.from(clientDataJSON, 'base64url').toString();
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    const isLikely = typeof challenge === 'string' && challenge.length <= MAX_CHALLENGE_CHARACTERS;
    return isLikely ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** The library throws for each way in which an answer can be wrong, and nothing here asks a store. */
async function verifyQuietly<Result extends object>(
  verify: () => Promise<Result>,
): Promise<Partial<Result>> {
  try {
    return await verify();
  } catch {
    return {};
  }
}

function readTransports(sent: unknown): readonly string[] {
  if (!Array.isArray(sent)) return [];
  return sent
    .filter((each): each is string => typeof each === 'string' && TRANSPORT.test(each))
    .slice(0, MAX_TRANSPORTS);
}

/** Two decoders that meet other characters may read different bytes. */
const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;

// In CBOR: a map of three entries, texts of up to 23 bytes, byte strings of up to 64 KiB.
const MAP_OF_3 = 0xa3;
const encodeText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
const BYTES_WITH_1_BYTE_OF_LENGTH = 0x58;
const BYTES_WITH_2_BYTES_OF_LENGTH = 0x59;
const EMPTY_MAP = Buffer.from([0xa0]);

/** The entries, and whether a byte string follows. */
const ENTRIES = [
  { start: Buffer.concat([encodeText('fmt'), encodeText('none')]), hasBytes: false },
  { start: Buffer.concat([encodeText('attStmt'), EMPTY_MAP]), hasBytes: false },
  { start: encodeText('authData'), hasBytes: true },
] as const;

/**
 * Whether an authenticator registers without attestation, which is all that the options ask for. Statements of other formats
 * bring chains of certificates, which cost much to check on the event loop. The format stands inside the CBOR of a
 * stranger, so it is not parsed: without attestation the object has three entries, in any order, whose bytes are known.
 */
export function isWithoutAttestation(attestationObject: unknown): boolean {
  if (typeof attestationObject !== 'string' || !BASE64URL.test(attestationObject)) return false;
  const object = Buffer.from(attestationObject, 'base64url');
  if (object[0] !== MAP_OF_3) return false;
  const left = new Set(ENTRIES);
  let at = 1;
  while (left.size > 0) {
    const entry = [...left].find(({ start }) =>
      object.subarray(at, at + start.length).equals(start),
    );
    if (entry === undefined) return false;
    left.delete(entry);
    at += entry.start.length;
    if (entry.hasBytes) at = findEndOfBytes(object, at);
  }
  return at === object.length;
}

/** Beyond the object if no byte string begins there. */
function findEndOfBytes(object: Buffer, at: number): number {
  const rest = object.subarray(at);
  if (rest[0] === BYTES_WITH_1_BYTE_OF_LENGTH && rest.length >= 2) {
    return at + 2 + rest.readUInt8(1);
  }
  if (rest[0] === BYTES_WITH_2_BYTES_OF_LENGTH && rest.length >= 3) {
    return at + 3 + rest.readUInt16BE(1);
  }
  return object.length + 1;
}
