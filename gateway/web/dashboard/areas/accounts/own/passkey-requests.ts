// The requests of the person's passkeys. Each change of them also changes the person of the session.
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { buildProof, type StepUp } from '@dashboard/shared/second-factor/step-up.js';
import { createPasskey } from '@dashboard/shared/session/passkeys.js';
import { sessionQuery } from '@dashboard/shared/session/session.js';
import type { Proof } from './proof-dialog.js';
import { SESSIONS_KEY } from './sessions-section.js';

export type Passkey = MerchantSchema['Passkey'];

export const PASSKEYS_KEY = ['own-passkeys'] as const;

export interface NewPasskey {
  readonly name: string;
  readonly current_password: string;
}

export const loadPasskeys = () => unwrap(api.GET('/v1/auth/passkeys'));

/** Adding and removing a passkey ends the other sessions. */
async function refresh(): Promise<void> {
  const keys = [PASSKEYS_KEY, SESSIONS_KEY, sessionQuery.queryKey];
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/** Returns recovery codes with the first second factor, and none otherwise. */
export async function addPasskey(
  stepUp: StepUp,
  { name, current_password }: NewPasskey,
): Promise<readonly string[]> {
  const options = await stepUp((code) => {
    const body = { current_password, ...buildProof(code) };
    return unwrap(api.POST('/v1/auth/passkeys/options', { body }));
  });
  const passkey = await createPasskey(options);
  const body = { name: name.trim(), passkey };
  const { recovery_codes: codes } = await unwrap(api.POST('/v1/auth/passkeys', { body }));
  await refresh();
  return codes;
}

export async function renamePasskey({ id }: Passkey, name: string): Promise<void> {
  const params = { path: { passkey_id: id } };
  await unwrap(
    api.PATCH('/v1/auth/passkeys/{passkey_id}', { params, body: { name: name.trim() } }),
  );
  await queryClient.invalidateQueries({ queryKey: PASSKEYS_KEY });
}

export async function removePasskey({ id }: Passkey, body: Proof): Promise<void> {
  const params = { path: { passkey_id: id } };
  await unwrap(api.DELETE('/v1/auth/passkeys/{passkey_id}', { params, body }));
  await refresh();
}
