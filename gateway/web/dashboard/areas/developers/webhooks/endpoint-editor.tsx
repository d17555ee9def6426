// Registers or changes a webhook endpoint.
import { Button, Checkbox, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FIRST_FIELD } from '@dashboard/shared/forms/first-field.js';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { SecondFactorHint } from '@dashboard/shared/second-factor/second-factor-hint.js';
import { buildProof, useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { EVENT_TYPES } from '../parts/event-types.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { buildOthers, type OthersChoice, OthersQuestion, useOthers } from './other-endpoints.js';

type Endpoint = MerchantSchema['WebhookEndpoint'];
type NewEndpoint = MerchantSchema['NewWebhookEndpoint'];
type Events = NonNullable<MerchantSchema['CreateWebhookEndpointRequest']['events']>;

interface EndpointForm {
  readonly url: string;
  readonly choice: 'all' | 'some';
  readonly events: readonly string[];
  readonly others: OthersChoice;
}

interface EndpointEditorProps {
  /** null: a new one. */
  readonly endpoint: Endpoint | null;
  /** Of a new endpoint, with its secret. */
  readonly onMade: (endpoint: NewEndpoint) => void;
  readonly onClose: () => void;
}

export function EndpointEditor({ endpoint, onMade, onClose }: EndpointEditorProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const { close } = useTexts(SHARED_TEXTS);
  const environment = useEnvironment();
  const client = useQueryClient();
  const active = useOthers(environment, endpoint?.id ?? null) ?? [];
  const others = endpoint === null ? active : [];
  const title = endpoint === null ? webhooks.addTo(environment) : webhooks.edit;
  const form = useForm<EndpointForm>({
    initialValues: readForm(endpoint),
    validate: {
      events: (events, { choice }) =>
        choice === 'some' && events.length === 0 ? webhooks.eventNeeded : null,
    },
  });
  const send = useSend(endpoint, others.length > 0);
  const { submit, isSending, error } = useFormRequest({
    form,
    send,
    onDone: async (made) => {
      await client.invalidateQueries({ queryKey: ['webhooks'] });
      await client.invalidateQueries({ queryKey: ['webhook'] });
      if (made !== null) onMade(made);
      onClose();
    },
  });
  const closeButtonProps = { 'aria-label': close };
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={closeButtonProps}>
      <form onSubmit={submit}>
        <Stack>
          <EndpointFields form={form} />
          <OthersQuestion
            others={others}
            choice={form.values.others}
            onChoice={(chosen) => {
              form.setFieldValue('others', chosen);
            }}
          />
          {(endpoint?.environment ?? environment) === 'LIVE' && <SecondFactorHint />}
          {error !== null && <ApiErrorView error={error} />}
          <Button type="submit" loading={isSending}>
            {endpoint === null ? webhooks.add : webhooks.save}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

function useSend(endpoint: Endpoint | null, hasOthers: boolean) {
  const environment = useEnvironment();
  const stepUp = useStepUp();
  return async (values: EndpointForm): Promise<NewEndpoint | null> => {
    const { url, choice, events } = values;
    const chosen = (choice === 'all' ? ['*'] : [...events]) as Events;
    const body = { url: url.trim(), events: chosen };
    if (endpoint === null) {
      return stepUp((code) => {
        const kept = buildOthers(hasOthers, values.others);
        const made = { ...body, ...kept, environment, ...buildProof(code) };
        return unwrap(api.POST('/v1/merchants/me/webhooks', { body: made }));
      });
    }
    const params = { path: { webhook_id: endpoint.id } };
    await stepUp((code) => {
      const change = { ...body, ...buildProof(code) };
      return unwrap(api.PATCH('/v1/merchants/me/webhooks/{webhook_id}', { params, body: change }));
    });
    return null;
  };
}

function readForm(endpoint: Endpoint | null): EndpointForm {
  if (endpoint === null) return { url: '', choice: 'all', events: [], others: 'replace' };
  const { url, events } = endpoint;
  const isAll = events.includes('*');
  return { url, choice: isAll ? 'all' : 'some', events: isAll ? [] : events, others: 'replace' };
}

function EndpointFields({ form }: { readonly form: UseFormReturnType<EndpointForm> }): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const { choice, events } = form.values;
  return (
    <>
      <TextInput
        label={webhooks.url}
        description={webhooks.urlHelp}
        placeholder="https://toko.example/webhooks"
        type="url"
        inputMode="url"
        {...FIRST_FIELD}
        required
        {...form.getInputProps('url')}
      />
      <Radio.Group label={webhooks.events} {...form.getInputProps('choice')}>
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={webhooks.allEvents} description={webhooks.allEventsHelp} />
          <Radio value="some" label={webhooks.someEvents} />
        </Stack>
      </Radio.Group>
      {choice === 'some' && (
        <Checkbox.Group
          aria-label={webhooks.events}
          value={[...events]}
          error={form.errors['events']}
          onChange={(chosen) => {
            form.setFieldValue('events', chosen);
          }}
        >
          <Stack gap="xs" ml="lg">
            {EVENT_TYPES.map((type) => (
              <Checkbox
                key={type}
                value={type}
                label={type}
                description={webhooks.eventHelp[type]}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  );
}
