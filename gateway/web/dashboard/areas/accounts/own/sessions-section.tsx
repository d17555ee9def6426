// The open sessions of the person, to end one or all others.
import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { type Column, ListTable } from '@dashboard/shared/lists/list-table.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { formatDevice } from '@dashboard/shared/session/device.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { OWN_TEXTS } from './texts.js';

type Session = MerchantSchema['Session'];
type Texts = (typeof OWN_TEXTS)['en'] | (typeof OWN_TEXTS)['id'];
/** The session to end; `others`: all but this one. */
type Asked = Session | 'others';

export const SESSIONS_KEY = ['own-sessions'] as const;

function listColumns(texts: Texts, ask: (session: Session) => void): readonly Column<Session>[] {
  return [
    {
      name: texts.device,
      render: ({ device, is_current: isCurrent }) => (
        <>
          {device === null ? '—' : formatDevice(device)}{' '}
          {isCurrent && <StatusBadge status="current" label={texts.thisSession} tone="good" />}
        </>
      ),
    },
    { name: texts.address, render: ({ address }) => address },
    { name: texts.signedIn, render: ({ created_at: at }) => <When at={at} /> },
    { name: texts.lastUsed, render: ({ last_used_at: at }) => <When at={at} isRelative /> },
    { name: texts.ends, render: ({ expires_at: at }) => <When at={at} /> },
    {
      name: texts.action,
      render: (session) =>
        session.is_current ? (
          <span aria-hidden>—</span>
        ) : (
          <Button
            size="xs"
            variant="default"
            aria-label={texts.endNamed(session.address)}
            onClick={() => {
              ask(session);
            }}
          >
            {texts.end}
          </Button>
        ),
    },
  ];
}

async function end(asked: Asked): Promise<void> {
  if (asked === 'others') {
    await unwrap(api.DELETE('/v1/auth/sessions'));
  } else {
    const params = { path: { session_id: asked.id } };
    await unwrap(api.DELETE('/v1/auth/sessions/{session_id}', { params }));
  }
  await queryClient.invalidateQueries({ queryKey: SESSIONS_KEY });
}

export function SessionsSection(): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const [asked, setAsked] = useState<Asked | null>(null);
  const query = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: () => unwrap(api.GET('/v1/auth/sessions')),
  });
  const hasOthers = query.data?.data.some(({ is_current: isCurrent }) => !isCurrent) ?? false;
  const endOthers = (
    <Button
      variant="default"
      size="xs"
      onClick={() => {
        setAsked('others');
      }}
    >
      {texts.endOthers}
    </Button>
  );
  return (
    <Section title={texts.sessions} actions={hasOthers ? endOthers : undefined}>
      <Stack>
        <Text size="sm" c="dimmed">
          {texts.sessionsHelp}
        </Text>
        <DetailView query={query}>
          {({ data }) => (
            <ListTable
              label={texts.sessions}
              rows={data}
              columns={listColumns(texts, setAsked)}
              rowKey={({ id }) => id}
            />
          )}
        </DetailView>
      </Stack>
      {asked !== null && (
        <EndDialog
          asked={asked}
          onClose={() => {
            setAsked(null);
          }}
        />
      )}
    </Section>
  );
}

interface EndDialogProps {
  readonly asked: Asked;
  readonly onClose: () => void;
}

function EndDialog({ asked, onClose }: EndDialogProps): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const isAll = asked === 'others';
  return (
    <ConfirmDialog
      title={isAll ? texts.endOthers : texts.endNamed(asked.address)}
      action={isAll ? texts.endOthers : texts.end}
      isDangerous
      isOpen
      onClose={onClose}
      onConfirm={() => end(asked)}
    >
      <Text size="sm">{isAll ? texts.endOthersHelp : texts.endHelp(asked.address)}</Text>
    </ConfirmDialog>
  );
}
