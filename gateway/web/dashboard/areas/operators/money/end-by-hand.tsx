// Completes, fails, cancels or reverses a refund or a payout by hand, with the reference of the transfer.
import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { ApiFailure, unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { describeFieldError } from '@dashboard/shared/text/error-texts.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { MONEY_TEXTS } from './texts.js';

type Request = AdministratorSchema['EndByHandRequest'];
type Ended = AdministratorSchema['Refund' | 'AdminPayout' | 'Approval'];

export type EndVerb = keyof (typeof MONEY_TEXTS)['id']['verbs'];

/** How each is sent. A LIVE amount above the limit is answered with an approval. */
const SEND: Readonly<Record<EndVerb, (id: string, body: Request) => Promise<Ended>>> = {
  complete_refund: (id, body) =>
    unwrap(
      adminApi.POST('/v1/admin/refunds/{refund_id}/complete', {
        ...{ params: { path: { refund_id: id } }, body },
      }),
    ),
  fail_refund: (id, body) =>
    unwrap(
      adminApi.POST('/v1/admin/refunds/{refund_id}/fail', {
        ...{ params: { path: { refund_id: id } }, body },
      }),
    ),
  complete_payout: (id, body) =>
    unwrap(
      adminApi.POST('/v1/admin/payouts/{payout_id}/complete', {
        ...{ params: { path: { payout_id: id } }, body },
      }),
    ),
  fail_payout: (id, body) =>
    unwrap(
      adminApi.POST('/v1/admin/payouts/{payout_id}/fail', {
        ...{ params: { path: { payout_id: id } }, body },
      }),
    ),
  cancel_payout: (id, body) =>
    unwrap(
      adminApi.POST('/v1/admin/payouts/{payout_id}/cancel', {
        ...{ params: { path: { payout_id: id } }, body },
      }),
    ),
  reverse_payout: (id, body) =>
    unwrap(
      adminApi.POST('/v1/admin/payouts/{payout_id}/reverse', {
        ...{ params: { path: { payout_id: id } }, body },
      }),
    ),
};

interface EndByHandProps {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly verbs: readonly EndVerb[];
}

export function EndByHand(props: EndByHandProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const [verb, setVerb] = useState<EndVerb | null>(null);
  return (
    <Group>
      {props.verbs.map((each, index) => (
        <Button
          key={each}
          variant={index === 0 ? 'filled' : 'default'}
          onClick={() => {
            setVerb(each);
          }}
        >
          {texts.verbs[each]}
        </Button>
      ))}
      {verb !== null && (
        <EndDialog
          {...props}
          verb={verb}
          onClose={() => {
            setVerb(null);
          }}
        />
      )}
    </Group>
  );
}

interface EndDialogProps extends EndByHandProps {
  readonly verb: EndVerb;
  readonly onClose: () => void;
}

function EndDialog({ id, amount, currency, verb, onClose }: EndDialogProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const [reference, setReference] = useState('');
  const [reason, setReason] = useState('');
  const [wrong, setWrong] = useState<ApiFailure | null>(null);
  const send = useSend(verb, id);
  const { language } = useLanguage();
  const errorAt = (field: string): string | undefined =>
    wrong?.param === field ? describeFieldError(language, wrong) : undefined;
  const confirm = async (): Promise<void> => {
    const given = reason.trim() === '' ? {} : { reason: reason.trim() };
    await send({ external_reference: reference.trim(), ...given }).catch((error: unknown) => {
      setWrong(error instanceof ApiFailure ? error : null);
      throw error;
    });
  };
  return (
    <ConfirmDialog
      title={texts.verbs[verb]}
      action={texts.verbs[verb]}
      isDangerous={!verb.startsWith('complete')}
      isOpen
      onClose={onClose}
      onConfirm={confirm}
    >
      <Text fw={600}>
        <Money minor={amount} currency={currency} />
      </Text>
      <Text size="sm">{texts.effects[verb]}</Text>
      <TextInput
        label={texts.externalReference}
        description={texts.externalHelp}
        required
        maxLength={128}
        value={reference}
        error={errorAt('external_reference')}
        onChange={(event) => {
          setReference(event.currentTarget.value);
        }}
      />
      <Textarea
        label={texts.why}
        description={texts.whyHelp}
        maxLength={500}
        value={reason}
        error={errorAt('reason')}
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
    </ConfirmDialog>
  );
}

function useSend(verb: EndVerb, id: string): (body: Request) => Promise<void> {
  const shared = useTexts(ADMIN_TEXTS);
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (body) => {
    const answer = await SEND[verb](id, body);
    await queries.invalidateQueries({ queryKey: ['admin'] });
    if (answer.object !== 'approval') {
      notifications.show({ message: shared.done, color: 'green' });
      return;
    }
    notifications.show({ message: shared.needsSecond, color: 'yellow' });
    await navigate({ to: '/admin/approvals/$approvalId', params: { approvalId: answer.id } });
  };
}
