// The documents of a verification. The API sends each as an attachment. An image is decoded into pixels and drawn, so the
// browser never renders an uploaded file itself.
import { Button, Card, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { ReturnFocus } from '@dashboard/shared/parts/confirm-dialog.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { When } from '@dashboard/shared/parts/when.js';
import { formatCount } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { Permitted } from '../parts/permitted.js';
import { MERCHANT_TEXTS } from './texts.js';

type Document = AdministratorSchema['KycDocument'];

const PATH = '/v1/admin/merchants/{merchant_id}/documents/{document_id}';
const KILOBYTE = 1024;
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
};

interface DocumentsProps {
  readonly merchantId: string;
  readonly documents: readonly Document[];
}

export function Documents({ merchantId, documents }: DocumentsProps): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  return (
    <Section title={texts.documents}>
      {documents.length === 0 && <Text c="dimmed">{texts.noDocuments}</Text>}
      <Stack gap="sm">
        {documents.map((document) => (
          <DocumentRow key={document.id} merchantId={merchantId} document={document} />
        ))}
      </Stack>
    </Section>
  );
}

interface DocumentProps {
  readonly merchantId: string;
  readonly document: Document;
}

function DocumentRow({ merchantId, document }: DocumentProps): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const { language } = useLanguage();
  const { filename, size, created_at: at } = document;
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between">
        <div>
          <Text fw={600}>{namePurpose(document, texts.purposes)}</Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {filename} · {texts.size(formatCount(Math.ceil(size / KILOBYTE), language))} ·{' '}
            <When at={at} />
          </Text>
        </div>
        <Permitted to="review_merchants" isQuiet>
          <DocumentActions merchantId={merchantId} document={document} />
        </Permitted>
      </Group>
    </Card>
  );
}

function namePurpose({ purpose }: Document, names: Readonly<Record<string, string>>): string {
  return names[purpose] ?? purpose;
}

function loadDocument({ merchantId, document }: DocumentProps): Promise<Blob> {
  const params = { path: { merchant_id: merchantId, document_id: document.id } };
  return unwrap(adminApi.GET(PATH, { params, parseAs: 'blob' }));
}

/** Shows an image, and saves any document as a file that is named after its id, since the merchant chose its own name. */
function DocumentActions(props: DocumentProps): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const { id, media_type: mediaType } = props.document;
  const [image, setImage] = useState<ImageBitmap | 'unreadable' | null>(null);
  const showing = useMutation({
    mutationFn: async () =>
      createImageBitmap(await loadDocument(props)).catch(() => 'unreadable' as const),
    onSuccess: setImage,
  });
  const saving = useMutation({
    mutationFn: async () => {
      saveFile(await loadDocument(props), `${id}.${EXTENSIONS[mediaType] ?? 'bin'}`);
    },
  });
  const error = showing.error ?? saving.error;
  const name = namePurpose(props.document, texts.purposes);
  return (
    <>
      <Group gap="xs">
        {mediaType.startsWith('image/') && (
          <ActionButton verb={texts.show} name={name} request={showing} />
        )}
        <ActionButton verb={texts.download} name={name} request={saving} />
      </Group>
      {error !== null && <ApiErrorView error={error} />}
      {image !== null && (
        <ImageDialog
          name={name}
          image={image}
          onClose={() => {
            setImage(null);
          }}
        />
      )}
    </>
  );
}

interface ActionButtonProps {
  readonly verb: string;
  /** Of the document, for screen readers: a merchant has several. */
  readonly name: string;
  readonly request: { readonly mutate: () => void; readonly isPending: boolean };
}

function ActionButton({ verb, name, request }: ActionButtonProps): ReactNode {
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={`${verb}: ${name}`}
      loading={request.isPending}
      onClick={() => {
        request.mutate();
      }}
    >
      {verb}
    </Button>
  );
}

interface ImageDialogProps {
  readonly name: string;
  readonly image: ImageBitmap | 'unreadable';
  readonly onClose: () => void;
}

function ImageDialog({ name, image, onClose }: ImageDialogProps): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const { close } = useTexts(SHARED_TEXTS);
  const draw = (canvas: HTMLCanvasElement | null): void => {
    if (canvas === null || image === 'unreadable') return;
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext('2d')?.drawImage(image, 0, 0);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={name}
      size="xl"
      closeButtonProps={{ 'aria-label': close }}
    >
      <ReturnFocus />
      {image === 'unreadable' ? (
        <Text>{texts.unreadable}</Text>
      ) : (
        <canvas ref={draw} role="img" aria-label={name} style={{ maxWidth: '100%' }} />
      )}
    </Modal>
  );
}

function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
