// One approval: who proposed what, and the decision of another administrator.
import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { RawRow } from '../parts/raw-row.js';
import { AdministratorName } from '../operations/administrator-name.js';
import { MerchantLink, PaymentIdLink, PayoutLink, RefundLink, TaskLink } from '../parts/links.js';
import { Permitted } from '../parts/permitted.js';
import { refreshWhile } from '../parts/refresh.js';
import { useTaskWords } from '../tasks/texts.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { type Approval, buildApprovalKey } from './approval.js';
import { ApprovalBadge } from './approval-badge.js';
import { DecideApproval } from './decide-approval.js';
import { APPROVAL_TEXTS } from './texts.js';

export function ApprovalView(): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const { approvalId } = useParams({ from: '/signed-in/admin/approvals/$approvalId' });
  const params = { path: { approval_id: approvalId } };
  const query = useQuery({
    queryKey: buildApprovalKey(approvalId),
    queryFn: () => unwrap(adminApi.GET('/v1/admin/approvals/{approval_id}', { params })),
    refetchInterval: refreshWhile(({ status }) => status === 'approved'),
  });
  return (
    <Page title={query.data === undefined ? texts.approval : texts.kinds[query.data.kind]}>
      <DetailView query={query}>
        {(approval) => <ApprovalSections approval={approval} />}
      </DetailView>
    </Page>
  );
}

function ApprovalSections({ approval }: { readonly approval: Approval }): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const effects: Readonly<Record<string, string>> = texts.effects;
  const { outcome, kind, request } = approval;
  return (
    <Stack>
      <Section title={texts.decide} actions={<ApprovalBadge status={approval.status} />}>
        <Stack>
          <Group>
            <Text fz="xl" fw={650}>
              <Money minor={approval.amount} currency={approval.currency} />
            </Text>
          </Group>
          {effects[kind] !== undefined && <Text>{effects[kind]}</Text>}
          {outcome !== null && (
            <Alert color="red" title={texts.outcome}>
              {outcome.message}
            </Alert>
          )}
          <Permitted to="decide_money" isQuiet>
            <DecideApproval approval={approval} />
          </Permitted>
        </Stack>
      </Section>
      <Section title={texts.proposed}>
        <ProposalFacts approval={approval} />
      </Section>
      <Section title={texts.request}>
        <RequestFacts request={request} />
        <RawRow row={approval} />
      </Section>
    </Stack>
  );
}

/** The request as it was sent, with words for the fields that have some. */
function RequestFacts({ request }: { readonly request: Approval['request'] }): ReactNode {
  const names: Readonly<Record<string, string>> = useTexts(APPROVAL_TEXTS).requestFields;
  const words = useTaskWords();
  return (
    <Facts
      facts={Object.entries(request).map(([name, value]) => [
        names[name] ?? name,
        name === 'action' ? words.action(value) : renderValue(name, value),
      ])}
    />
  );
}

function renderValue(name: string, value: string): ReactNode {
  return name.endsWith('merchant_id') ? <MerchantLink id={value} /> : value;
}

function ProposalFacts({ approval }: { readonly approval: Approval }): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const { merchant_id: merchant, payment_id: payment, decided_by: decider } = approval;
  const { refund_id: refund, payout_id: payout, task_id: task } = approval;
  return (
    <Facts
      facts={[
        [shared.id, <Identifier key="id" value={approval.id} />],
        [texts.proposedBy, <AdministratorName key="by" id={approval.proposed_by} />],
        [texts.proposed, <When key="at" at={approval.proposed_at} />],
        [texts.why, approval.reason],
        [texts.reference, approval.reference],
        [shared.merchant, merchant && <MerchantLink id={merchant} />],
        [shared.payment, payment && <PaymentIdLink id={payment} />],
        [shared.refund, refund && <RefundLink id={refund} />],
        [shared.payout, payout && <PayoutLink id={payout} />],
        [shared.task, task && <TaskLink id={task} />],
        [texts.decidedBy, decider && <AdministratorName id={decider} />],
        [texts.decided, approval.decided_at && <When at={approval.decided_at} />],
        [texts.whyRejected, approval.decision_reason],
        [texts.ended, approval.ended_at && <When at={approval.ended_at} />],
      ]}
    />
  );
}
