// The person who is signed in, and what their session may do. The session is in a cookie that scripts cannot read; the API
// decides again at each request.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, type MerchantSchema } from '../api/client.js';
import { ApiFailure, unwrap } from '../api/failure.js';
import { queryClient } from '../api/queries.js';
import { readDevice } from './device.js';
import type { PasskeyAnswer } from './passkeys.js';

const UNAUTHENTICATED = 401;

/** `merchant` null: an administrator. */
export type SignedIn = MerchantSchema['SignedInUser'];
export type Permission = SignedIn['permissions'][number];

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly totp_code?: string;
  readonly passkey?: PasskeyAnswer;
}

async function loadSession(): Promise<SignedIn | null> {
  try {
    return await unwrap(api.GET('/v1/auth/me'));
  } catch (error) {
    if (isSessionOver(error)) return null;
    throw error;
  }
}

/** null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: loadSession,
  staleTime: Infinity,
  gcTime: Infinity,
});

export async function signIn(credentials: Credentials): Promise<void> {
  const device = readDevice(navigator);
  const body = { ...credentials, cookie: true, ...(device === undefined ? {} : { device }) };
  await unwrap(api.POST('/v1/auth/login', { body }));
  queryClient.clear();
}

/** A session that has ended already is no error. */
export async function signOut(): Promise<void> {
  try {
    await unwrap(api.POST('/v1/auth/logout'));
  } catch (error) {
    if (!isSessionOver(error)) throw error;
  }
}

/** Forgets everything that the API has answered. No view that needs a session may be shown then. */
export const forgetSession = (): void => {
  queryClient.clear();
};

/** Whether a request failed because its session has ended. */
export const isSessionOver = (error: unknown): boolean =>
  error instanceof ApiFailure && error.status === UNAUTHENTICATED;

/** For views below the signed-in routes. @throws when nobody is signed in */
export function useSession(): SignedIn {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('a view of the dashboard was shown without a session');
  return data;
}

/** Whether the person can prove a second factor: a passkey, or the codes of an authenticator app. */
export const hasSecondFactor = ({
  totp_enabled: hasApp,
  passkeys,
}: Pick<SignedIn['user'], 'totp_enabled' | 'passkeys'>): boolean => hasApp || passkeys > 0;

export type Can = (permission: Permission) => boolean;

/** The permissions of the session. */
export function useCan(): Can {
  const { permissions } = useSession();
  return (permission) => permissions.includes(permission);
}
