// The decision about a merchant: approve, reject with reasons, suspend. The status says which of them are possible.
import { Button, type ButtonProps, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { ConfirmByName } from '../parts/confirm-by-name.js';
import { buildMerchantKey, type MerchantDetails } from './merchant.js';
import { KYC_FIELDS, readField, type SubmittedKyc } from './submission.js';
import { MERCHANT_TEXTS } from './texts.js';

type Request = AdministratorSchema['DecideVerificationRequest'];
type Status = MerchantDetails['merchant']['verificationStatus'];
type Step = 'approve' | 'reject' | 'suspend';

/** As in gateway/operators/merchants/handlers.ts, which decides. */
const STEPS_OF_STATUS: Readonly<Record<Status, readonly Step[]>> = {
  UNVERIFIED: [],
  PENDING: ['approve', 'reject'],
  APPROVED: ['suspend'],
  REJECTED: [],
  SUSPENDED: ['approve'],
};

const REASON_FIELDS = [...KYC_FIELDS, 'document_ids'] as const;

/** Sends a decision, and shows the merchant as the answer has it. */
function useDecide(merchantId: string): (body: Request) => Promise<void> {
  const queries = useQueryClient();
  return async (body) => {
    const params = { path: { merchant_id: merchantId } };
    const path = '/v1/admin/merchants/{merchant_id}/verification';
    const changed = await unwrap(adminApi.POST(path, { params, body }));
    queries.setQueryData(buildMerchantKey(merchantId), changed);
    await queries.invalidateQueries({ queryKey: ['admin'] });
  };
}

export function Decision({ details }: { readonly details: MerchantDetails }): ReactNode {
  /** The status is that when the dialog opened: the answer changes it before the dialog closes. */
  const [asked, setAsked] = useState<{ step: Step; from: Status } | null>(null);
  const { merchant, kyc } = details;
  const { business_name: name, verificationStatus: status } = merchant;
  const decide = useDecide(merchant.id);
  const close = (): void => {
    setAsked(null);
  };
  return (
    <>
      {STEPS_OF_STATUS[status].map((each) => (
        <StepButton
          key={each}
          step={each}
          status={status}
          onStep={(step) => {
            setAsked({ step, from: status });
          }}
        />
      ))}
      {asked?.step === 'approve' && (
        <ApproveDialog name={name} status={asked.from} onClose={close} onDecide={decide} />
      )}
      {asked?.step === 'reject' && kyc.submission !== null && (
        <RejectDialog submission={kyc.submission} onClose={close} onDecide={decide} />
      )}
      {asked?.step === 'suspend' && <SuspendDialog name={name} onClose={close} onDecide={decide} />}
    </>
  );
}

const LOOKS: Readonly<Record<Step, ButtonProps>> = {
  approve: {},
  reject: { variant: 'default' },
  suspend: { color: 'red', variant: 'outline' },
};

interface StepButtonProps {
  readonly step: Step;
  readonly status: Status;
  readonly onStep: (step: Step) => void;
}

function StepButton({ step, status, onStep }: StepButtonProps): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const isAgain = step === 'approve' && status === 'SUSPENDED';
  return (
    <Button
      size="xs"
      {...LOOKS[step]}
      onClick={() => {
        onStep(step);
      }}
    >
      {isAgain ? texts.unsuspend : texts[step]}
    </Button>
  );
}

interface ApproveDialogProps {
  readonly name: string;
  readonly status: Status;
  readonly onClose: () => void;
  readonly onDecide: (body: Request) => Promise<void>;
}

function ApproveDialog({ name, status, onClose, onDecide }: ApproveDialogProps): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const action = status === 'SUSPENDED' ? texts.unsuspend : texts.approve;
  return (
    <ConfirmDialog
      title={action}
      action={action}
      isOpen
      onClose={onClose}
      onConfirm={() => onDecide({ status: 'APPROVED' })}
    >
      <Text fw={600}>{name}</Text>
      <Text size="sm">{texts.approveHelp}</Text>
    </ConfirmDialog>
  );
}

interface RejectDialogProps {
  readonly submission: SubmittedKyc;
  readonly onClose: () => void;
  readonly onDecide: (body: Request) => Promise<void>;
}

function RejectDialog({ submission, onClose, onDecide }: RejectDialogProps): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const [reason, setReason] = useState('');
  const [reasons, setReasons] = useState<Readonly<Record<string, string>>>({});
  const given = Object.entries(reasons).filter(([, text]) => text.trim() !== '');
  return (
    <ConfirmDialog
      title={texts.rejectTitle}
      action={texts.reject}
      isDangerous
      isOpen
      onClose={onClose}
      onConfirm={() =>
        onDecide({
          ...{ status: 'REJECTED', field_reasons: Object.fromEntries(given) },
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        })
      }
    >
      <Text size="sm">{texts.rejectHelp}</Text>
      <Textarea
        label={texts.overall}
        value={reason}
        required
        autosize
        minRows={2}
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
      <Stack gap="xs">
        {REASON_FIELDS.map((field) => (
          <TextInput
            key={field}
            size="sm"
            label={texts.fieldReason(texts.fields[field])}
            description={field === 'document_ids' ? undefined : readField(submission, field)}
            value={reasons[field] ?? ''}
            onChange={(event) => {
              const text = event.currentTarget.value;
              setReasons((former) => ({ ...former, [field]: text }));
            }}
          />
        ))}
      </Stack>
    </ConfirmDialog>
  );
}

interface SuspendDialogProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onDecide: (body: Request) => Promise<void>;
}

function SuspendDialog({ name, onClose, onDecide }: SuspendDialogProps): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const [reason, setReason] = useState('');
  return (
    <ConfirmByName
      title={texts.suspendTitle}
      name={name}
      action={texts.suspend}
      onClose={onClose}
      onConfirm={() =>
        onDecide({
          status: 'SUSPENDED',
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        })
      }
    >
      <Text size="sm">{texts.suspendHelp}</Text>
      <Textarea
        label={texts.overall}
        value={reason}
        required
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
    </ConfirmByName>
  );
}
