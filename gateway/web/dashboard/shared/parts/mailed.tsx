// Texts that speak of a mail are true only where the service has a mail server. Elsewhere a note says where its mails are.
import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Identifier } from './identifier.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';

/** Whether SMTP_URL is set; the shell of the gateway says so. */
export const sendsMail =
  document.querySelector<HTMLMetaElement>('meta[name=mail]')?.content !== 'kept';

interface NoteProps {
  /** The address that the mail is for; absent: several, or not known yet. */
  readonly to?: string | undefined;
}

/** `children`, which speak of a mail; without a mail server, the note. */
export function Mailed({ to, children }: NoteProps & { readonly children: ReactNode }): ReactNode {
  return sendsMail ? children : <MailNote to={to} />;
}

/** Nothing if the service has a mail server. */
export function MailNote({ to }: NoteProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  if (sendsMail) return null;
  const command = ['npx kasir mail list', ...(to === undefined ? [] : ['--to', to])].join(' ');
  return (
    <Alert color="yellow" title={texts.unsentTitle}>
      <Stack gap={4}>
        <Text size="sm">{texts.unsentHelp}</Text>
        <Identifier value={command} />
      </Stack>
    </Alert>
  );
}
