// All values of a submission: before it is sent, and afterwards.
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Facts } from '@dashboard/shared/parts/detail-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { type KycDocument, type KycValues, readValue, STEP_FIELDS } from './form-values.js';
import { KYC_TEXTS } from './texts.js';

interface ReviewProps {
  readonly values: KycValues;
  readonly documents: readonly KycDocument[];
}

const PARTS = ['business', 'bank', 'representative'] as const;

export function Review({ values, documents }: ReviewProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const names = documents
    .filter(({ id }) => values.document_ids.includes(id))
    .map(({ filename }) => filename);
  const show = (name: (typeof STEP_FIELDS)[(typeof PARTS)[number]][number]): ReactNode =>
    name === 'business_type' ? texts.types[values.business_type] : readValue(values, name);
  return (
    <Stack>
      {PARTS.map((part) => (
        <div key={part}>
          <Text fw={600} mb="xs">
            {texts.steps[part]}
          </Text>
          <Facts facts={STEP_FIELDS[part].map((name) => [texts.fields[name], show(name)])} />
        </div>
      ))}
      <Facts facts={[[texts.fields.document_ids, names.join(', ')]]} />
    </Stack>
  );
}
