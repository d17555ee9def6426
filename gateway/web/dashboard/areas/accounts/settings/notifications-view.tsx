// Which mails the team and its customers get.
import { Select, Stack, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Settings, settingsQuery } from '@dashboard/shared/api/merchant-settings.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { MailNote } from '@dashboard/shared/parts/mailed.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SettingsForm } from './settings-form.js';
import { SettingsPage } from './settings-page.js';
import { SETTINGS_TEXTS } from './texts.js';

const LANGUAGES = ['id', 'en'] as const;
/** Each kind of mail, with the role that gets it beside the owners. */
const NOTICES = [
  ['payment_received', 'finance'],
  ['charged_back', 'finance'],
  ['payout_failed', 'finance'],
  ['kyc_decided', 'finance'],
  ['endpoint_failing', 'developer'],
  ['endpoint_disabled', 'developer'],
] as const;

export function NotificationsView(): ReactNode {
  const query = useQuery(settingsQuery);
  return (
    <SettingsPage>
      <DetailView query={query}>{(settings) => <Notices settings={settings} />}</DetailView>
    </SettingsPage>
  );
}

function Notices({ settings }: { readonly settings: Settings }): ReactNode {
  const texts = useTexts(SETTINGS_TEXTS);
  const { notices, receipts } = settings;
  const form = useForm({ initialValues: { notices, receipts } });
  const buildSwitch = (name: string) => form.getInputProps(name, { type: 'checkbox' });
  return (
    <SettingsForm form={form} buildChange={(values) => values} saved={texts.noticesSaved}>
      <MailNote />
      <Section title={texts.notices}>
        <Stack>
          {NOTICES.map(([kind, reader]) => (
            <Switch
              key={kind}
              label={texts.noticeTexts[kind]}
              description={texts.noticeReaders[reader]}
              {...buildSwitch(`notices.${kind}`)}
            />
          ))}
        </Stack>
      </Section>
      <Section title={texts.receipts}>
        <Stack>
          <Switch
            label={texts.receiptsOn}
            description={texts.receiptsHelp}
            {...buildSwitch('receipts.enabled')}
          />
          <Select
            label={texts.receiptLanguage}
            data={LANGUAGES.map((value) => ({ value, label: texts.languages[value] }))}
            allowDeselect={false}
            {...form.getInputProps('receipts.language')}
          />
        </Stack>
      </Section>
    </SettingsForm>
  );
}
