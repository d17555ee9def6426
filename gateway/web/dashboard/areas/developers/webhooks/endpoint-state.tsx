// The state of an endpoint: whether it takes what is sent to it, until when it is paused, and what a day of attempts says.
import { TIME_ZONE } from '@core/days.js';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { formatCount, formatHourIn, formatPercent } from '@dashboard/shared/text/format.js';
import { type Language, useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { useExplain } from '@dashboard/shared/text/reasons.js';
import { DEVELOPERS_TEXTS, type DevelopersTexts } from '../parts/texts.js';

type Endpoint = MerchantSchema['WebhookEndpoint'];

const TONES = { active: 'good', failing: 'bad', paused: 'bad', off: 'neutral' } as const;
/** Between two looks at a state that changes by itself. */
export const STATE_REFRESH_MS = 10_000;
/** The API counts no further. */
const MAX_WAITING = 1_000;

interface EndpointProps {
  readonly endpoint: Endpoint;
}

export function EndpointBadge({ endpoint }: EndpointProps): ReactNode {
  const texts = useTexts(DEVELOPERS_TEXTS);
  const { language } = useLanguage();
  return (
    <StatusBadge
      status={endpoint.state}
      label={describeState(endpoint, texts, language)}
      tone={TONES[endpoint.state]}
    />
  );
}

function describeState(
  { state, paused_until: until, consecutive_failures: failures }: Endpoint,
  { webhooks }: DevelopersTexts,
  language: Language,
): string {
  const count = formatCount(failures, language);
  if (state === 'failing') return webhooks.failing(count, failures === 1);
  if (state !== 'paused' || until === null) return state === 'off' ? webhooks.off : webhooks.on;
  return webhooks.pausedUntil(count, formatHourIn(until, TIME_ZONE, language));
}

export function EndpointHealth({ endpoint }: EndpointProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const { language } = useLanguage();
  const explain = useExplain();
  const { last_24_hours: day, held_until: heldUntil } = endpoint;
  const reason = explain(day);
  return (
    <Section title={webhooks.lastDay}>
      <Facts
        facts={[
          [webhooks.status, <EndpointBadge key="state" endpoint={endpoint} />],
          [
            webhooks.errorRate,
            day.error_rate === null
              ? webhooks.noAttemptsYet
              : webhooks.errorsOf(
                  formatPercent(day.error_rate, language),
                  formatCount(day.failures, language),
                  formatCount(day.attempts, language),
                ),
          ],
          [webhooks.lastSuccess, day.last_success_at && <When at={day.last_success_at} />],
          [webhooks.lastFailure, day.last_failure_at && <When at={day.last_failure_at} />],
          [
            webhooks.lastReason,
            day.reason && (
              <>
                {reason.title}
                <Text size="sm" c="dimmed">
                  {reason.meaning} {reason.remedy}
                </Text>
              </>
            ),
          ],
          [webhooks.waiting, formatWaiting(endpoint, language)],
          [webhooks.heldUntil, heldUntil && <When at={heldUntil} />],
        ]}
      />
    </Section>
  );
}

/** `1,000+`: the API counts no further. */
export function formatWaiting({ waiting }: Endpoint, language: Language): string {
  return `${formatCount(waiting, language)}${waiting >= MAX_WAITING ? '+' : ''}`;
}
