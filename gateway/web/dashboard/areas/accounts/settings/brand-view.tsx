// The brand and the contact that customers see, with a preview of the head of the page where they pay.
import { Grid, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Settings, settingsQuery } from '@dashboard/shared/api/merchant-settings.js';
import { DetailView } from '@dashboard/shared/parts/detail-view.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { isEmail } from '../parts/email.js';
import { BrandFields, type BrandValues, ContactFields, TEXT_FIELDS } from './brand-fields.js';
import { BrandPreview } from './brand-preview.js';
import { LogoSection } from './logo-section.js';
import { SettingsForm } from './settings-form.js';
import { SettingsPage } from './settings-page.js';
import { SETTINGS_TEXTS, type SettingsTexts } from './texts.js';

const COLOUR = /^#[0-9a-f]{6}$/i;

export function BrandView(): ReactNode {
  const query = useQuery(settingsQuery);
  return (
    <SettingsPage>
      <DetailView query={query}>{(settings) => <BrandForms settings={settings} />}</DetailView>
    </SettingsPage>
  );
}

/** An empty field is null in the API. */
function buildValues(settings: Settings): BrandValues {
  const entries = TEXT_FIELDS.map((name) => [name, settings[name] ?? '']);
  return Object.fromEntries(entries) as BrandValues;
}

function buildChange(values: BrandValues): Readonly<Record<string, string | null>> {
  const entries = TEXT_FIELDS.map((name) => [name, values[name].trim() || null]);
  return Object.fromEntries(entries) as Record<string, string | null>;
}

const buildRules = (texts: SettingsTexts) => ({
  brand_colour: (text: string) => (text === '' || COLOUR.test(text) ? null : texts.colourRule),
  support_email: (text: string) => (text === '' || isEmail(text) ? null : texts.emailInvalid),
  support_url: (text: string) => (/^(https:\/\/\S+)?$/.test(text) ? null : texts.urlInvalid),
});

function BrandForms({ settings }: { readonly settings: Settings }): ReactNode {
  const texts = useTexts(SETTINGS_TEXTS);
  const mayChange = useCan()('change_settings');
  const form = useForm<BrandValues>({
    initialValues: buildValues(settings),
    validate: buildRules(texts),
  });
  const { display_name: name, brand_colour: colour } = form.getValues();
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <SettingsForm form={form} buildChange={buildChange} saved={texts.saved}>
          <BrandFields form={form} />
          <ContactFields form={form} />
        </SettingsForm>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack>
          <BrandPreview name={name} colour={colour} logoUrl={settings.logo_url} />
          <LogoSection settings={settings} mayChange={mayChange} />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
