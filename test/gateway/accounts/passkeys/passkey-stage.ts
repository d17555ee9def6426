// Users with passkeys of an authenticator in software, for the tests of passkeys.
import type { Test } from 'tap';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  type Person,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import {
  type Ceremony,
  makeAuthenticator,
  type SoftAuthenticator,
} from '#test/support/http/authenticator.js';
import type { TestScope } from '#test/support/servers.js';
import { useGateways } from '#test/support/standing/service.js';

export const PATH = '/v1/auth/passkeys';
export const OTHER_ORIGIN = 'http://evil.localhost:8080';
export const CURRENT = { current_password: PASSWORD };

export const post = (api: Api, path: string, body?: object): Promise<ApiAnswer> =>
  api.call(path, { method: 'POST', ...(body === undefined ? {} : { body }) });

export function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

export const readParam = ({ body }: ApiAnswer): unknown =>
  (body['error'] as { param: string }).param;

export interface Enrolled {
  readonly owner: Person;
  readonly api: Api;
  readonly authenticator: SoftAuthenticator;
  readonly passkeyId: string;
  readonly recoveryCodes: readonly string[];
}

export async function startPasskeyStage(t: TestScope) {
  const { sql, gateways, baseUrl, publicUrl: origin } = await useGateways(t);
  const anonymous = openApi(baseUrl);

  const buildCeremony = (options: unknown, changes: Partial<Ceremony> = {}): Ceremony => {
    const { challenge } = options as { challenge: string };
    return { challenge, origin, rpId: 'localhost', ...changes };
  };

  const openOwner = async (): Promise<{ owner: Person; api: Api }> => {
    const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
    return { owner, api: openApi(baseUrl, await beginSession(sql, owner)) };
  };

  const register = async (api: Api, authenticator: SoftAuthenticator, code?: string) => {
    const proof = code === undefined ? CURRENT : { ...CURRENT, totp_code: code };
    const begun = await post(api, `${PATH}/options`, proof);
    const passkey = authenticator.register(buildCeremony(begun.body));
    return post(api, PATH, { name: 'Laptop', passkey });
  };

  const enrol = async (): Promise<Enrolled> => {
    const { owner, api } = await openOwner();
    const authenticator = makeAuthenticator();
    const { body } = await register(api, authenticator);
    const passkeyId = (body['passkey'] as { id: string }).id;
    const recoveryCodes = body['recovery_codes'] as string[];
    return { owner, api, authenticator, passkeyId, recoveryCodes };
  };

  const logIn = ({ email }: Person, proof: object = {}): Promise<ApiAnswer> =>
    post(anonymous, '/v1/auth/login', { email, password: PASSWORD, ...proof });

  /** The options that the first step of a login brings. */
  const beginLogin = async (person: Person): Promise<unknown> => {
    const { body } = await logIn(person);
    return (body['error'] as { passkey_options?: unknown }).passkey_options;
  };

  const proveForCode = async (api: Api, authenticator: SoftAuthenticator): Promise<string> => {
    const { body } = await post(api, `${PATH}/challenge`);
    const passkey = authenticator.assert(buildCeremony(body));
    return String((await post(api, `${PATH}/code`, { passkey })).body['code']);
  };

  const users = { openOwner, register, enrol, logIn, beginLogin, proveForCode };
  return { sql, gateways, baseUrl, origin, anonymous, buildCeremony, ...users };
}
