// The question what becomes of the other active endpoint, when one is added or switched on.
import { Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';

type Endpoint = MerchantSchema['WebhookEndpoint'];

export type OthersChoice = 'replace' | 'keep';

/** The body of the request; nothing while no other endpoint is active. */
export const buildOthers = (hasOthers: boolean, choice: OthersChoice) =>
  hasOthers ? { replace_others: choice === 'replace', allow_many: choice === 'keep' } : {};

/** The active endpoints beside `id`; undefined: not known yet. */
export function useOthers(
  environment: Endpoint['environment'],
  id: string | null,
): readonly Endpoint[] | undefined {
  const { data } = useQuery({
    queryKey: ['webhooks', environment, undefined],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/webhooks', {
          params: { query: { environment } },
        }),
      ),
  });
  return data?.data.filter((one) => one.active && one.id !== id);
}

interface OthersQuestionProps {
  readonly others: readonly Endpoint[];
  readonly choice: OthersChoice;
  readonly onChoice: (choice: OthersChoice) => void;
}

export function OthersQuestion({ others, choice, onChoice }: OthersQuestionProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  if (others.length === 0) return null;
  const addresses = others.map(({ url }) => url).join(', ');
  const isOne = others.length === 1;
  return (
    <Radio.Group
      label={webhooks.othersActive(addresses, isOne)}
      value={choice}
      onChange={(chosen) => {
        onChoice(chosen === 'keep' ? 'keep' : 'replace');
      }}
    >
      <Stack gap="xs" mt="xs">
        <Radio
          value="replace"
          label={webhooks.replace(isOne)}
          description={webhooks.replaceHelp(isOne)}
        />
        <Radio
          value="keep"
          label={webhooks.keepOthers(isOne)}
          description={webhooks.keepOthersHelp(isOne)}
        />
      </Stack>
    </Radio.Group>
  );
}
