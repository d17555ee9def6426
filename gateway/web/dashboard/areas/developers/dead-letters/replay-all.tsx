// Replays all dead letters that match the filters. The dialog first asks the API how many they are.
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';

const PATH = '/v1/merchants/me/webhooks/dlq/replay';

interface ReplayAllProps {
  /** From the address: the API checks it. */
  readonly filter: Readonly<Record<string, string | undefined>>;
}

interface ReplayAllButtonProps extends ReplayAllProps {
  /** false: a filter is set that replays do not have. More than what is shown would be replayed. */
  readonly isReady: boolean;
}

const writeFilter = (filter: ReplayAllProps['filter']) =>
  Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  ) as MerchantSchema['ReplayDeadLettersRequest'];

export function ReplayAll({ filter, isReady }: ReplayAllButtonProps): ReactNode {
  const hintId = useId();
  const { deadLetters } = useTexts(DEVELOPERS_TEXTS);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      {!isReady && (
        <Text id={hintId} c="dimmed" size="sm">
          {deadLetters.replayAllHint}
        </Text>
      )}
      <Button
        disabled={!isReady}
        aria-describedby={isReady ? undefined : hintId}
        onClick={() => {
          setIsOpen(true);
        }}
      >
        {deadLetters.replayAll}
      </Button>
      {isOpen && (
        <ReplayAllDialog
          filter={filter}
          onClose={() => {
            setIsOpen(false);
          }}
        />
      )}
    </>
  );
}

function ReplayAllDialog({
  filter,
  onClose,
}: ReplayAllProps & { readonly onClose: () => void }): ReactNode {
  const { deadLetters } = useTexts(DEVELOPERS_TEXTS);
  const navigate = useNavigate({ from: '/webhooks/dead-letters' });
  const body = writeFilter(filter);
  const { data, error, refetch } = useQuery({
    queryKey: ['dead-letter-count', filter],
    queryFn: () => unwrap(api.POST(PATH, { body: { ...body, dry_run: true } })),
    staleTime: 0,
  });
  const count = data !== undefined && 'count' in data ? data.count : null;
  const isReady = count !== null && count > 0;
  const start = async (): Promise<void> => {
    const replay = await unwrap(api.POST(PATH, { body }));
    if (!('id' in replay)) return;
    await navigate({ search: (former) => ({ ...former, cursor: undefined, replay: replay.id }) });
  };
  return (
    <ConfirmDialog
      title={deadLetters.replayAll}
      action={isReady ? deadLetters.replayCount(count) : deadLetters.replayAll}
      isReady={isReady}
      isOpen
      onClose={onClose}
      onConfirm={start}
    >
      {error !== null && <ApiErrorView error={error} onRetry={() => void refetch()} />}
      {error === null && (
        <Text size="sm" role="status">
          {count === null ? deadLetters.counting : deadLetters.counted(count)}
        </Text>
      )}
    </ConfirmDialog>
  );
}
