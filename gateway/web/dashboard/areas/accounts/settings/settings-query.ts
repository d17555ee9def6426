// The requests that change the settings of the merchant.
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { type Settings, settingsQuery } from '@dashboard/shared/api/merchant-settings.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { buildProof, type StepUp } from '@dashboard/shared/second-factor/step-up.js';

export type Change = MerchantSchema['UpdateSettingsRequest'];

const keep = (settings: Settings): void => {
  queryClient.setQueryData(settingsQuery.queryKey, settings);
};

/** Asks for the second factor if the API does: for mails that are switched off, and for the contact in LIVE. */
export async function changeSettings(stepUp: StepUp, change: Change): Promise<void> {
  const settings = await stepUp((code) => {
    const body = { ...change, ...buildProof(code) };
    return unwrap(api.PATCH('/v1/merchants/me/settings', { body }));
  });
  keep(settings);
}

export async function setLogo(content: string): Promise<void> {
  keep(await unwrap(api.PUT('/v1/merchants/me/logo', { body: { content } })));
}

export async function removeLogo(): Promise<void> {
  await unwrap(api.DELETE('/v1/merchants/me/logo'));
  await queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey });
}
