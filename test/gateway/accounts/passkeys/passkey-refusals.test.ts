// Answers of authenticators that are refused over HTTP: replayed, of another origin, user or session, forged, or too late.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { storeChallenge } from '#store/postgres/accounts/passkeys.js';
import { beginSession } from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import {
  type Attest,
  type Ceremony,
  encodeBytes,
  encodeText,
  type Fault,
  makeAuthenticator,
} from '#test/support/http/authenticator.js';
import {
  assertError,
  CURRENT,
  OTHER_ORIGIN,
  PATH,
  post,
  readParam,
  startPasskeyStage,
} from './passkey-stage.js';

const { sql, baseUrl, origin, buildCeremony, openOwner, register, enrol, logIn, beginLogin } =
  await startPasskeyStage(t);

t.test('a challenge is good once, for its user, its purpose and its time', async (t) => {
  const { owner, api, authenticator } = await enrol();
  const stranger = await enrol();
  const refused = async (passkey: object, what: string, person = owner): Promise<void> => {
    const answer = await logIn(person, { passkey });
    t.same([answer.status, answer.code, readParam(answer)], [401, 'login_failed', 'passkey'], what);
  };
  const options = await beginLogin(owner);
  const good = authenticator.assert(buildCeremony(options));
  t.equal((await logIn(owner, { passkey: good })).status, 200);
  await refused(good, 'a replayed answer');
  await refused(authenticator.assert(buildCeremony(options)), 'a replayed challenge');
  const own = { challenge: 'A'.repeat(43) };
  await refused(authenticator.assert(buildCeremony(own)), 'a challenge of nobody');
  const strange = await beginLogin(stranger.owner);
  await refused(authenticator.assert(buildCeremony(strange)), "another user's challenge");
  const forStepUp = (await post(api, `${PATH}/challenge`)).body;
  await refused(authenticator.assert(buildCeremony(forStepUp)), 'a challenge of a step-up');
  const expired = await beginLogin(owner);
  await sql`update passkey_challenges set expires_at = now() where user_id = ${owner.userId}`;
  await refused(authenticator.assert(buildCeremony(expired)), 'an expired challenge');
  await waitUntil('each counts as a failed login', async () => {
    const [row] = await sql`select failures from failed_logins where account = ${owner.userId}`;
    return row?.['failures'] === 6;
  });
});

t.test('logins that are begun give up no challenge of a session', async (t) => {
  const { owner, api, authenticator } = await enrol();
  const { body: options } = await post(api, `${PATH}/challenge`);
  // As somebody causes them who knows the password, and has no passkey.
  const login = { userId: owner.userId, purpose: 'login', sessionId: null } as const;
  for (let begun = 0; begun < 20; begun += 1) {
    await storeChallenge(sql, login, randomBytes(32).toString('hex'), 600_000);
  }
  const passkey = authenticator.assert(buildCeremony(options));
  t.equal((await post(api, `${PATH}/code`, { passkey })).status, 201);
});

t.test('an answer that is wrong in one place begins no session', async (t) => {
  const { owner, authenticator } = await enrol();
  const stranger = await enrol();
  const cases: readonly (readonly [what: string, Partial<Ceremony>, Fault])[] = [
    ['another origin', { origin: OTHER_ORIGIN }, {}],
    ['https instead of http', { origin: origin.replace('http:', 'https:') }, {}],
    ['another relying party', { rpId: 'evil.example' }, {}],
    ['another type', {}, { type: 'webauthn.create' }],
    ['a person who is not present', {}, { flags: 0 }],
    ['a forged signature', {}, { isForged: true }],
  ];
  for (const [what, changes, fault] of cases) {
    const ceremony = buildCeremony(await beginLogin(owner), changes);
    const answer = await logIn(owner, { passkey: authenticator.assert(ceremony, fault) });
    t.same([answer.status, readParam(answer)], [401, 'passkey'], what);
  }
  const ceremony = buildCeremony(await beginLogin(owner));
  const foreign = stranger.authenticator.assert(ceremony);
  t.equal((await logIn(owner, { passkey: foreign })).status, 401, "another user's passkey");
  for (const junk of [{}, { id: 1 }, { response: null }, { response: { clientDataJSON: 'x' } }]) {
    t.equal((await logIn(owner, { passkey: junk })).status, 401, JSON.stringify(junk));
  }
  const copied = buildCeremony(await beginLogin(owner));
  t.equal((await logIn(owner, { passkey: authenticator.assert(copied) })).status, 200);
  authenticator.count = 0;
  const behind = buildCeremony(await beginLogin(owner));
  const answer = await logIn(owner, { passkey: authenticator.assert(behind) });
  t.equal(answer.status, 401, 'a copy of the authenticator, which counts from before');
});

t.test('a registration is refused from another origin, session or challenge', async (t) => {
  const { owner, api } = await openOwner();
  const other = openApi(baseUrl, await beginSession(sql, owner));
  const begin = async (): Promise<object> => (await post(api, `${PATH}/options`, CURRENT)).body;
  const authenticator = makeAuthenticator();
  const finish = (by: Api, ceremony: Ceremony): Promise<ApiAnswer> =>
    post(by, PATH, { name: 'Laptop', passkey: authenticator.register(ceremony) });
  const cases: Partial<Ceremony>[] = [{ origin: OTHER_ORIGIN }, { rpId: 'evil.example' }];
  for (const changes of cases) {
    const answer = await finish(api, buildCeremony(await begin(), changes));
    assertError(t, answer, 400, 'field_invalid');
  }
  assertError(t, await finish(other, buildCeremony(await begin())), 400, 'field_invalid');
  const options = await begin();
  t.equal((await finish(api, buildCeremony(options))).status, 201);
  assertError(t, await finish(api, buildCeremony(options)), 400, 'field_invalid');
});

const join = (...parts: readonly (Buffer | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
const FORMAT_NONE = join(encodeText('fmt'), encodeText('none'));
const NO_STATEMENT = join(encodeText('attStmt'), 0xa0);
const writeData = (data: Buffer): Buffer => join(encodeText('authData'), encodeBytes(data));

t.test('a registration with an attestation is refused, and one without is taken', async (t) => {
  const { api } = await openOwner();
  const finish = async (attest: Attest): Promise<ApiAnswer> => {
    const begun = (await post(api, `${PATH}/options`, CURRENT)).body;
    const passkey = makeAuthenticator().register(buildCeremony(begun), attest);
    return post(api, PATH, { name: 'Laptop', passkey });
  };
  const attested: Readonly<Record<string, Attest>> = {
    'signed by the passkey itself': (data, sign) =>
      join(
        ...[0xa3, encodeText('fmt'), encodeText('packed'), encodeText('attStmt')],
        ...[0xa2, encodeText('alg'), 0x26, encodeText('sig'), encodeBytes(sign(data))],
        writeData(data),
      ),
    'none with a longer length than it needs': (data) =>
      join(0xb8, 3, FORMAT_NONE, NO_STATEMENT, writeData(data)),
    'none with a fourth entry': (data) =>
      join(0xa4, FORMAT_NONE, NO_STATEMENT, writeData(data), encodeText('x'), 0xa0),
  };
  for (const [what, attest] of Object.entries(attested)) {
    const answer = await finish(attest);
    t.same([answer.status, answer.code], [400, 'field_invalid'], what);
    t.match(answer.body, { error: { param: 'passkey', message: /attestation/ } }, what);
  }
  t.equal(
    (await finish((data) => join(0xa3, writeData(data), NO_STATEMENT, FORMAT_NONE))).status,
    201,
    'none in another order',
  );
});

t.test('a request with a passkey has at most 8 KiB', async (t) => {
  const { api, owner } = await openOwner();
  const passkey = { id: 'A'.repeat(8 * 1024) };
  for (const answer of [
    await post(api, PATH, { name: 'Laptop', passkey }),
    await post(api, `${PATH}/code`, { passkey }),
    await logIn(owner, { passkey }),
  ]) {
    assertError(t, answer, 413, 'body_too_large');
    t.match(answer.text, /at most 8192 bytes/);
  }
});

t.test('a credential belongs to one user', async (t) => {
  const { authenticator } = await enrol();
  const { api } = await openOwner();
  assertError(t, await register(api, authenticator), 409, 'state_conflict');
  t.match((await api.call('/v1/auth/me')).body, { user: { passkeys: 0, recovery_codes_left: 0 } });
});

t.test('a login whose password was checked before the enrolment begins no session', async (t) => {
  const { owner, api } = await openOwner();
  const sessions = () =>
    sql`select 1 from sessions where user_id = ${owner.userId} and ended_at is null`;
  const begun = await post(api, `${PATH}/options`, CURRENT);
  const passkey = makeAuthenticator().register(buildCeremony(begun.body));
  const answers = await Promise.all([
    ...[1, 2, 3].map(() => logIn(owner)),
    post(api, PATH, { name: 'Laptop', passkey }),
    ...[1, 2, 3].map(() => logIn(owner)),
  ]);
  t.equal(answers[3]?.status, 201);
  t.equal((await sessions()).length, 1, 'the session that registered it');
});
