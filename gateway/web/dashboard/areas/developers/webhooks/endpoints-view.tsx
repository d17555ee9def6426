// The webhook endpoints of the merchant in the environment.
import { Alert, Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { EmptyHint, ListView } from '@dashboard/shared/lists/list-view.js';
import { Address } from '@dashboard/shared/parts/address.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { SecretOnce } from '@dashboard/shared/parts/secret-once.js';
import { Tags } from '@dashboard/shared/parts/tags.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS, type DevelopersTexts } from '../parts/texts.js';
import { EndpointBadge } from './endpoint-state.js';
import { EndpointEditor } from './endpoint-editor.js';

type Endpoint = MerchantSchema['WebhookEndpoint'];

function listColumns({ webhooks }: DevelopersTexts): readonly Column<Endpoint>[] {
  return [
    { name: webhooks.url, render: ({ url }) => <Address url={url} /> },
    {
      name: webhooks.status,
      render: (endpoint) => <EndpointBadge endpoint={endpoint} />,
    },
    {
      name: webhooks.events,
      render: ({ events }) => (events.includes('*') ? webhooks.allEvents : <Tags names={events} />),
    },
    { name: webhooks.created, render: ({ created_at: at }) => <When at={at} /> },
  ];
}

export function EndpointsView(): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const canChange = useCan()('change_webhooks');
  const navigate = useNavigate();
  const [isAdding, setIsAdding] = useState(false);
  const [made, setMade] = useState<MerchantSchema['NewWebhookEndpoint'] | null>(null);
  const add = canChange && (
    <Button
      onClick={() => {
        setIsAdding(true);
      }}
    >
      {webhooks.add}
    </Button>
  );
  const showMade = (): void => {
    setMade(null);
    if (made === null) return;
    void navigate({ to: '/webhooks/$webhookId', params: { webhookId: made.id } });
  };
  return (
    <Page
      title={webhooks.title}
      actions={
        <>
          <ListLinks />
          {add}
        </>
      }
    >
      <Text c="dimmed">
        {webhooks.about}{' '}
        <Anchor href="/docs/webhooks" target="_blank" rel="noreferrer" underline="always">
          {webhooks.guide}
        </Anchor>
      </Text>
      <DisabledNotices />
      <EndpointList add={add} />
      {isAdding && (
        <EndpointEditor
          endpoint={null}
          onMade={setMade}
          onClose={() => {
            setIsAdding(false);
          }}
        />
      )}
      <SecretOnce title={webhooks.secretTitle} secret={made?.secret ?? null} onDone={showMade} />
    </Page>
  );
}

/** Deliveries to all endpoints, and those that failed for good. */
function ListLinks(): ReactNode {
  const { webhooks, deadLetters } = useTexts(DEVELOPERS_TEXTS);
  return (
    <>
      <Button
        variant="default"
        renderRoot={(props) => <Link to="/webhooks/deliveries" {...props} />}
      >
        {webhooks.deliveries}
      </Button>
      <Button
        variant="default"
        renderRoot={(props) => <Link to="/webhooks/dead-letters" {...props} />}
      >
        {deadLetters.title}
      </Button>
    </>
  );
}

/** `add`: the button of the empty state. */
function EndpointList({ add }: { readonly add: ReactNode }): ReactNode {
  const texts = useTexts(DEVELOPERS_TEXTS);
  const { webhooks } = texts;
  const environment = useEnvironment();
  const load = () =>
    unwrap(api.GET('/v1/merchants/me/webhooks', { params: { query: { environment } } }));
  return (
    <ListView
      label={webhooks.title}
      queryKey={['webhooks', environment]}
      load={load}
      columns={listColumns(texts)}
      rowKey={({ id }) => id}
      rowLink={({ id }, content) => (
        <RowLink to="/webhooks/$webhookId" params={{ webhookId: id }}>
          {content}
        </RowLink>
      )}
      empty={
        <EmptyHint title={webhooks.none(environment)} help={webhooks.noneHelp}>
          {add}
        </EmptyHint>
      }
    />
  );
}

/** Endpoints that the service switched off, because everything sent to them failed. The list shows an error of its own. */
function DisabledNotices(): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const environment = useEnvironment();
  const params = { query: { environment } };
  const {
    data: events,
    error,
    refetch,
  } = useQuery({
    queryKey: ['webhook-events', environment],
    queryFn: () => unwrap(api.GET('/v1/merchants/me/webhooks/events', { params })),
  });
  const { data: endpoints } = useQuery({
    queryKey: ['webhooks', environment, undefined],
    queryFn: () => unwrap(api.GET('/v1/merchants/me/webhooks', { params })),
  });
  if (events === undefined && error !== null) {
    return <ApiErrorView error={error} onRetry={() => void refetch()} />;
  }
  const isOff = (id: string): boolean =>
    endpoints?.data.some((endpoint) => endpoint.id === id && !endpoint.active) ?? false;
  const all = events?.data ?? [];
  // Newest first, so the first event of an endpoint is its latest.
  const latest = all.filter(
    ({ data }, index) =>
      all.findIndex((other) => other.data.endpoint_id === data.endpoint_id) === index,
  );
  return latest
    .filter(({ data }) => isOff(data.endpoint_id))
    .map(({ id, data, created_at: at }) => (
      <Alert key={id} color="red" title={webhooks.disabledTitle}>
        <Text size="sm">
          {webhooks.disabledHelp(data.url)} <When at={at} />
        </Text>
      </Alert>
    ));
}
