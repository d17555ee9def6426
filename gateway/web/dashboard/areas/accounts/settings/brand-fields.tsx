// The fields of the brand and of the contact.
import { Alert, ColorInput, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { findWeakGrounds } from './contrast.js';
import { SETTINGS_TEXTS } from './texts.js';

export const TEXT_FIELDS = [
  ...(['display_name', 'brand_colour', 'support_email', 'support_phone'] as const),
  'support_url',
] as const;
export type BrandValues = Record<(typeof TEXT_FIELDS)[number], string>;
export type BrandForm = UseFormReturnType<BrandValues>;

const SWATCHES = ['#0b5cad', '#13713a', '#b3261e', '#7a3e9d', '#b35309', '#111827'];

interface FieldsProps {
  readonly form: BrandForm;
}

export function BrandFields({ form }: FieldsProps): ReactNode {
  const texts = useTexts(SETTINGS_TEXTS);
  const weak = findWeakGrounds(form.getValues().brand_colour);
  return (
    <Section title={texts.brand}>
      <Stack>
        <Text size="sm" c="dimmed">
          {texts.brandHelp}
        </Text>
        <TextInput
          label={texts.name}
          description={texts.nameHelp}
          maxLength={100}
          {...form.getInputProps('display_name')}
        />
        <ColorInput
          label={texts.colour}
          description={texts.colourHelp}
          swatches={SWATCHES}
          withEyeDropper={false}
          {...form.getInputProps('brand_colour')}
        />
        {weak.map(({ ground, contrast }) => (
          <Alert key={ground} color="yellow" data-contrast={ground}>
            {texts.colourWeak[ground](contrast.toFixed(1))}
          </Alert>
        ))}
      </Stack>
    </Section>
  );
}

export function ContactFields({ form }: FieldsProps): ReactNode {
  const texts = useTexts(SETTINGS_TEXTS);
  return (
    <Section title={texts.contact}>
      <Stack>
        <Text size="sm" c="dimmed">
          {texts.contactHelp}
        </Text>
        <TextInput
          label={texts.supportEmail}
          type="email"
          maxLength={254}
          {...form.getInputProps('support_email')}
        />
        <TextInput
          label={texts.supportPhone}
          type="tel"
          placeholder="+62 812 3456 7890"
          maxLength={30}
          {...form.getInputProps('support_phone')}
        />
        <TextInput
          label={texts.supportUrl}
          description={texts.supportUrlHelp}
          type="url"
          placeholder="https://toko.example/bantuan"
          maxLength={2_048}
          {...form.getInputProps('support_url')}
        />
      </Stack>
    </Section>
  );
}
