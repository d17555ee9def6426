// The progress of a replay of many dead letters. Its id is in the address, so that a reload shows it again.
import { Alert, Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';

const REFRESH_MS = 5_000;
const FULL = 100;

export function ReplayProgress({ replayId }: { readonly replayId: string }): ReactNode {
  const { deadLetters } = useTexts(DEVELOPERS_TEXTS);
  const { close } = useTexts(SHARED_TEXTS);
  const client = useQueryClient();
  const navigate = useNavigate({ from: '/webhooks/dead-letters' });
  const {
    data: replay,
    error,
    refetch,
  } = useQuery({
    queryKey: ['replay', replayId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/webhooks/replays/{replay_id}', {
          params: { path: { replay_id: replayId } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : REFRESH_MS),
  });
  const isCompleted = replay?.status === 'completed';
  useEffect(() => {
    if (isCompleted) void client.invalidateQueries({ queryKey: ['dead-letters'] });
  }, [isCompleted, client]);
  if (error !== null) return <ApiErrorView error={error} onRetry={() => void refetch()} />;
  if (replay === undefined) return null;
  const { total, done, failed } = replay;
  const share = total === 0 ? FULL : Math.round(((done + failed) / total) * FULL);
  return (
    <Alert
      title={isCompleted ? deadLetters.completed : deadLetters.running}
      withCloseButton={isCompleted}
      closeButtonLabel={close}
      onClose={() => void navigate({ search: (former) => ({ ...former, replay: undefined }) })}
    >
      <Progress
        value={share}
        aria-label={deadLetters.running}
        animated={!isCompleted}
        color={isCompleted ? 'green' : 'brand'}
      />
      <Text size="sm" mt="xs" role="status">
        {deadLetters.progress(done, total)} {failed > 0 && deadLetters.leftDead(failed)}
      </Text>
    </Alert>
  );
}
