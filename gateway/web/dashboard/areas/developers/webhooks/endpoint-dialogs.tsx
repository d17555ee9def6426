// The dialogs of an endpoint's actions.
import { Select, Switch, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { SecondFactorHint } from '@dashboard/shared/second-factor/second-factor-hint.js';
import { buildProof, useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { OVERLAPS_S } from '../parts/overlaps.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { EVENT_TYPES } from '../parts/event-types.js';
import type { EventType } from '../parts/texts.en.js';
import { formatWaiting } from './endpoint-state.js';
import { buildOthers, type OthersChoice, OthersQuestion, useOthers } from './other-endpoints.js';

interface DialogProps {
  readonly endpoint: MerchantSchema['WebhookEndpoint'];
  readonly onClose: () => void;
}

const useRefresh = (): (() => Promise<void>) => {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['webhook'] });
    await client.invalidateQueries({ queryKey: ['webhooks'] });
    await client.invalidateQueries({ queryKey: ['deliveries'] });
  };
};

const LiveHint = ({ endpoint }: Pick<DialogProps, 'endpoint'>): ReactNode =>
  endpoint.environment === 'LIVE' ? <SecondFactorHint /> : null;

/** Sends a test event and shows its delivery. */
export function TestDialog({ endpoint, onClose }: DialogProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const navigate = useNavigate();
  const [type, setType] = useState<EventType>('payment.paid');
  const send = async (): Promise<void> => {
    const params = { path: { webhook_id: endpoint.id } };
    const path = '/v1/merchants/me/webhooks/{webhook_id}/test';
    const { id } = await unwrap(api.POST(path, { params, body: { type } }));
    await navigate({ to: '/webhooks/deliveries/$deliveryId', params: { deliveryId: id } });
  };
  return (
    <ConfirmDialog
      title={webhooks.test}
      action={webhooks.send}
      isOpen
      onClose={onClose}
      onConfirm={send}
    >
      <Text size="sm">{webhooks.testHelp(endpoint.url)}</Text>
      <Select
        label={webhooks.type}
        data={[...EVENT_TYPES]}
        value={type}
        allowDeselect={false}
        onChange={(chosen) => {
          const found = EVENT_TYPES.find((each) => each === chosen);
          if (found !== undefined) setType(found);
        }}
      />
    </ConfirmDialog>
  );
}

interface RotateDialogProps extends DialogProps {
  readonly onRotated: (secret: string) => void;
}

export function RotateDialog({ endpoint, onClose, onRotated }: RotateDialogProps): ReactNode {
  const { webhooks, overlap } = useTexts(DEVELOPERS_TEXTS);
  const refresh = useRefresh();
  const stepUp = useStepUp();
  const [seconds, setSeconds] = useState('86400');
  const rotate = async (): Promise<void> => {
    const params = { path: { webhook_id: endpoint.id } };
    const path = '/v1/merchants/me/webhooks/{webhook_id}/rotate';
    const { secret } = await stepUp((code) => {
      const body = { overlap_seconds: Number(seconds), ...buildProof(code) };
      return unwrap(api.POST(path, { params, body }));
    });
    onRotated(secret);
    await refresh();
  };
  return (
    <ConfirmDialog
      title={webhooks.rotate}
      action={webhooks.rotateAction}
      isOpen
      onClose={onClose}
      onConfirm={rotate}
    >
      <Text size="sm">{webhooks.rotateHelp}</Text>
      <Select
        label={overlap.label}
        data={OVERLAPS_S.map((each) => ({ value: each, label: overlap.of[each] }))}
        value={seconds}
        allowDeselect={false}
        onChange={(chosen) => {
          if (chosen !== null) setSeconds(chosen);
        }}
      />
      <LiveHint endpoint={endpoint} />
    </ConfirmDialog>
  );
}

export function SwitchDialog({ endpoint, onClose }: DialogProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const refresh = useRefresh();
  const stepUp = useStepUp();
  const { active, url, id, environment } = endpoint;
  const others = useOthers(environment, id) ?? [];
  const [choice, setChoice] = useState<OthersChoice>('replace');
  const [isHolding, setIsHolding] = useState(true);
  const change = async (): Promise<void> => {
    const params = { path: { webhook_id: endpoint.id } };
    await stepUp((code) => {
      const rest = active ? { hold_waiting: isHolding } : buildOthers(others.length > 0, choice);
      const body = { active: !active, ...rest, ...buildProof(code) };
      return unwrap(api.PATCH('/v1/merchants/me/webhooks/{webhook_id}', { params, body }));
    });
    await refresh();
  };
  return (
    <ConfirmDialog
      title={active ? webhooks.switchOff : webhooks.switchOn}
      action={active ? webhooks.switchOff : webhooks.switchOn}
      isDangerous={active}
      isOpen
      onClose={onClose}
      onConfirm={change}
    >
      <Text size="sm">{active ? webhooks.switchOffHelp(url) : webhooks.switchOnHelp(url)}</Text>
      {active ? (
        <WaitingQuestion endpoint={endpoint} isHolding={isHolding} onHolding={setIsHolding} />
      ) : (
        <OthersQuestion others={others} choice={choice} onChoice={setChoice} />
      )}
      <LiveHint endpoint={endpoint} />
    </ConfirmDialog>
  );
}

interface WaitingQuestionProps extends Pick<DialogProps, 'endpoint'> {
  readonly isHolding: boolean;
  readonly onHolding: (is: boolean) => void;
}

/** How many events wait for an endpoint that is to be switched off, and what becomes of them. */
function WaitingQuestion({ endpoint, isHolding, onHolding }: WaitingQuestionProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const { language } = useLanguage();
  const { waiting } = endpoint;
  if (waiting === 0) return <Text size="sm">{webhooks.noneWait}</Text>;
  return (
    <>
      <Text size="sm">{webhooks.someWait(formatWaiting(endpoint, language), waiting === 1)}</Text>
      <Switch
        label={webhooks.hold}
        description={webhooks.holdHelp}
        checked={isHolding}
        onChange={(event) => {
          onHolding(event.currentTarget.checked);
        }}
      />
    </>
  );
}

export function DeleteDialog({ endpoint, onClose }: DialogProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const client = useQueryClient();
  const navigate = useNavigate();
  const stepUp = useStepUp();
  const remove = async (): Promise<void> => {
    const params = { path: { webhook_id: endpoint.id } };
    await stepUp((code) => {
      const body = buildProof(code);
      return unwrap(api.DELETE('/v1/merchants/me/webhooks/{webhook_id}', { params, body }));
    });
    await navigate({ to: '/webhooks' });
    await client.invalidateQueries({ queryKey: ['webhooks'] });
  };
  return (
    <ConfirmDialog
      title={webhooks.delete}
      action={webhooks.delete}
      isDangerous
      isOpen
      onClose={onClose}
      onConfirm={remove}
    >
      <Text size="sm">{webhooks.deleteHelp(endpoint.url)}</Text>
      <LiveHint endpoint={endpoint} />
    </ConfirmDialog>
  );
}
