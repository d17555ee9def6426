// Approves or rejects a proposal. The proposer may only withdraw it; the API refuses the rest.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { type Approval, buildApprovalKey } from './approval.js';
import { APPROVAL_TEXTS } from './texts.js';

const LONGEST_REASON = 500;

type Step = 'approve' | 'reject';

export function DecideApproval({ approval }: { readonly approval: Approval }): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const { user } = useSession();
  const [step, setStep] = useState<Step | null>(null);
  const { status } = approval;
  if (status !== 'proposed' && status !== 'approved') return null;
  const isOwn = approval.proposed_by === user.id;
  const close = (): void => {
    setStep(null);
  };
  return (
    <Stack gap="sm">
      {isOwn && status === 'proposed' && <Text c="dimmed">{texts.ownHelp}</Text>}
      {status === 'approved' && <Text c="dimmed">{texts.goOnHelp}</Text>}
      <Steps status={status} isOwn={isOwn} onStep={setStep} />
      {step === 'approve' && <ApproveDialog approval={approval} onClose={close} />}
      {step === 'reject' && <RejectDialog approval={approval} isOwn={isOwn} onClose={close} />}
    </Stack>
  );
}

interface StepsProps {
  readonly status: 'proposed' | 'approved';
  readonly isOwn: boolean;
  readonly onStep: (step: Step) => void;
}

function Steps({ status, isOwn, onStep }: StepsProps): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  return (
    <Group>
      {(!isOwn || status === 'approved') && (
        <Button
          onClick={() => {
            onStep('approve');
          }}
        >
          {status === 'approved' ? texts.goOn : texts.approve}
        </Button>
      )}
      {status === 'proposed' && (
        <Button
          variant="default"
          onClick={() => {
            onStep('reject');
          }}
        >
          {isOwn ? texts.withdraw : texts.reject}
        </Button>
      )}
    </Group>
  );
}

interface ApproveDialogProps {
  readonly approval: Approval;
  readonly onClose: () => void;
}

function ApproveDialog({ approval, onClose }: ApproveDialogProps): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const decide = useDecide(approval.id);
  return (
    <ConfirmDialog
      title={texts.approveTitle}
      action={approval.status === 'approved' ? texts.goOn : texts.approve}
      isDangerous
      isOpen
      onClose={onClose}
      onConfirm={() => decide({ verb: 'approve' })}
    >
      <Text fw={600}>
        {texts.kinds[approval.kind]}: <Money minor={approval.amount} currency={approval.currency} />
      </Text>
      <Text size="sm">{texts.approveHelp}</Text>
    </ConfirmDialog>
  );
}

interface RejectDialogProps extends ApproveDialogProps {
  /** Its proposer withdraws it. */
  readonly isOwn: boolean;
}

function RejectDialog({ approval, isOwn, onClose }: RejectDialogProps): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const decide = useDecide(approval.id);
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      title={isOwn ? texts.withdrawTitle : texts.rejectTitle}
      action={isOwn ? texts.withdraw : texts.reject}
      isOpen
      onClose={onClose}
      onConfirm={() => decide({ verb: 'reject', reason: reason.trim() })}
    >
      <Text size="sm">{texts.rejectHelp}</Text>
      <Textarea
        label={texts.why}
        required
        autosize
        minRows={2}
        maxLength={LONGEST_REASON}
        value={reason}
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
    </ConfirmDialog>
  );
}

type Decision = { readonly verb: 'approve' } | { readonly verb: 'reject'; readonly reason: string };

function useDecide(id: string): (decision: Decision) => Promise<void> {
  const queries = useQueryClient();
  return async (decision) => {
    const params = { path: { approval_id: id } };
    const changed =
      decision.verb === 'approve'
        ? await unwrap(adminApi.POST('/v1/admin/approvals/{approval_id}/approve', { params }))
        : await unwrap(
            adminApi.POST('/v1/admin/approvals/{approval_id}/reject', {
              params,
              body: { reason: decision.reason },
            }),
          );
    queries.setQueryData(buildApprovalKey(id), changed);
    await queries.invalidateQueries({ queryKey: ['admin'] });
  };
}
