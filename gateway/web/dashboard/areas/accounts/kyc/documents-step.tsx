// The documents: those that are stored, with the choice of which belong to the submission, and the upload of more.
import { Button, Checkbox, FileButton, Group, Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import type { KycForm } from './fields.js';
import type { KycDocument } from './form-values.js';
import { kycQuery } from './kyc-query.js';
import { KYC_TEXTS } from './texts.js';
import { ACCEPTED, type Purpose, PURPOSES } from './upload.js';
import { UploadList } from './upload-list.js';
import { useUploads } from './use-uploads.js';

interface DocumentsStepProps {
  readonly form: KycForm;
  readonly documents: readonly KycDocument[];
}

export function DocumentsStep({ form, documents }: DocumentsStepProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const [purpose, setPurpose] = useState<Purpose>('IDENTITY');
  const uploads = useUploads((document) => {
    form.setFieldValue('document_ids', (ids) => [...ids, document.id]);
    void queryClient.invalidateQueries({ queryKey: kycQuery.queryKey });
  });
  return (
    <Stack>
      <Text size="sm">{texts.documentsHelp}</Text>
      <Text size="sm" c="dimmed">
        {texts.fileRule}
      </Text>
      <Group align="flex-end">
        <Select
          label={texts.purpose}
          data={PURPOSES.map((value) => ({ value, label: texts.purposes[value] }))}
          value={purpose}
          allowDeselect={false}
          onChange={(value) => {
            setPurpose(PURPOSES.find((each) => each === value) ?? 'OTHER');
          }}
        />
        <FileButton
          multiple
          accept={ACCEPTED}
          onChange={(files) => {
            uploads.add(files, purpose);
          }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              {texts.chooseFiles}
            </Button>
          )}
        </FileButton>
      </Group>
      <UploadList uploads={uploads} />
      <StoredDocuments form={form} documents={documents} />
    </Stack>
  );
}

const KB = 1_000;

function StoredDocuments({ form, documents }: DocumentsStepProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const purposes: Readonly<Record<string, string>> = texts.purposes;
  return (
    <Checkbox.Group
      label={texts.included}
      {...form.getInputProps('document_ids')}
      error={form.errors['document_ids']}
    >
      <Stack gap="xs" mt="xs">
        {documents.length === 0 && (
          <Text size="sm" c="dimmed">
            {texts.noDocuments}
          </Text>
        )}
        {documents.map(({ id, filename, purpose, size }) => (
          <Checkbox
            key={id}
            value={id}
            label={filename}
            description={`${purposes[purpose] ?? purpose} · ${Math.ceil(size / KB)} KB`}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
