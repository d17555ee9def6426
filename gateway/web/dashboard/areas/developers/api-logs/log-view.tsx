// One request with its answer. Credentials and customer data are masked by the API.
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { CopyButton } from '@dashboard/shared/parts/copy-button.js';
import { Facts, ObjectView, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { CodeBlock } from '../parts/code-block.js';
import { writeBody } from '../parts/json.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { HttpStatus } from './logs-view.js';

export function LogView(): ReactNode {
  const { logs } = useTexts(DEVELOPERS_TEXTS);
  const { requestId } = useParams({ from: '/signed-in/api-logs/$requestId' });
  const query = useQuery({
    queryKey: ['api-log', requestId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/api-logs/{request_id}', {
          params: { path: { request_id: requestId } },
        }),
      ),
  });
  return (
    <Page title={logs.one}>
      <ObjectView query={query}>
        {(log) => (
          <Stack gap="lg">
            <LogFacts log={log} />
            <Body title={logs.requestBody} body={log.request_body} />
            <Body title={logs.responseBody} body={log.response_body} />
          </Stack>
        )}
      </ObjectView>
    </Page>
  );
}

function LogFacts({ log }: { readonly log: MerchantSchema['ApiLog'] }): ReactNode {
  const { logs } = useTexts(DEVELOPERS_TEXTS);
  return (
    <Section title={`${log.method} ${log.path}`}>
      <Facts
        facts={[
          [logs.status, <HttpStatus key="status" status={log.status} />],
          [
            logs.code,
            log.code && (
              <Anchor key="code" href="/docs/errors" target="_blank" rel="noreferrer">
                {log.code}
              </Anchor>
            ),
          ],
          [logs.query, log.query],
          [logs.at, <When key="at" at={log.at} />],
          [logs.duration, `${log.duration_ms} ms`],
          [logs.environment, log.environment],
          [logs.key, log.key],
          [logs.idempotencyKey, log.idempotency_key],
          [logs.requestId, <Identifier key="id" value={log.id} />],
        ]}
      />
    </Section>
  );
}

function Body({ title, body }: { readonly title: string; readonly body?: unknown }): ReactNode {
  const { logs } = useTexts(DEVELOPERS_TEXTS);
  const text = body === null || body === undefined ? null : writeBody(body);
  return (
    <Section title={title} actions={text !== null && <CopyButton value={text} />}>
      {text === null ? <Text c="dimmed">{logs.noBody}</Text> : <CodeBlock>{text}</CodeBlock>}
    </Section>
  );
}
