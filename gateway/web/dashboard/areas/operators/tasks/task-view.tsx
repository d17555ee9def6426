// One operator task: what happened, the facts, and the actions that it allows now or its resolution.
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { formatDay } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { MerchantLink, PaymentIdLink, PayoutLink, RefundLink } from '../parts/links.js';
import { RawRow } from '../parts/raw-row.js';
import { AdministratorName } from '../operations/administrator-name.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { buildTaskKey, type Task } from './task.js';
import { ResolveTask } from './resolve-task.js';
import { TASK_TEXTS, type TaskWords, useTaskWords } from './texts.js';

export function TaskView(): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const words = useTaskWords();
  const { taskId } = useParams({ from: '/signed-in/admin/tasks/$taskId' });
  const params = { path: { task_id: taskId } };
  const query = useQuery({
    queryKey: buildTaskKey(taskId),
    queryFn: () => unwrap(adminApi.GET('/v1/admin/tasks/{task_id}', { params })),
  });
  return (
    <Page title={query.data === undefined ? texts.task : words.kind(query.data.kind)}>
      <DetailView query={query}>{(task) => <TaskSections task={task} />}</DetailView>
    </Page>
  );
}

function TaskSections({ task }: { readonly task: Task }): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const words = useTaskWords();
  const isOpen = task.status === 'open';
  return (
    <Stack>
      <Section
        title={texts.what}
        actions={
          <Group gap="xs">
            <StatusBadge status={task.environment} label={task.environment} />
            <StatusBadge
              status={isOpen ? 'open' : 'completed'}
              label={isOpen ? texts.open : texts.done}
            />
          </Group>
        }
      >
        <Text>{words.cause(task.kind) ?? task.kind}</Text>
      </Section>
      {isOpen ? <ResolveTask task={task} /> : <Resolution task={task} />}
      <Section title={texts.facts}>
        <Facts
          facts={[
            [shared.id, <Identifier key="id" value={task.id} />],
            [texts.opened, <When key="opened" at={task.opened_at} />],
            [shared.merchant, task.merchant_id && <MerchantLink id={task.merchant_id} />],
            [shared.payment, task.payment_id && <PaymentIdLink id={task.payment_id} />],
            ...listDetails(task, words).map(
              ([name, value]) => [words.detail(name), value] as const,
            ),
          ]}
        />
        <RawRow row={task} />
      </Section>
    </Stack>
  );
}

/** Money as money, ids as links, days as days, and everything else as the text that it is. */
function listDetails(
  { details }: Task,
  words: TaskWords,
): readonly (readonly [string, ReactNode])[] {
  const { amount, currency, ...others } = details;
  const money: readonly (readonly [string, ReactNode])[] =
    amount === undefined || currency === undefined
      ? []
      : [['amount', <Money key="amount" minor={amount} currency={currency} />]];
  return [
    ...money,
    ...Object.entries(others).map(
      ([name, value]) =>
        [name, <Detail key={name} name={name} value={words.value(name, value)} />] as const,
    ),
  ];
}

interface DetailProps {
  readonly name: string;
  readonly value: string;
}

function Detail({ name, value }: DetailProps): ReactNode {
  const { language } = useLanguage();
  if (name === 'day') return formatDay(value, language);
  if (name === 'refundId') return <RefundLink id={value} />;
  if (name === 'payoutId') return <PayoutLink id={value} />;
  return value;
}

function Resolution({ task }: { readonly task: Task }): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const words = useTaskWords();
  const { action, resolved_by: by, target_merchant_id: merchant } = task;
  return (
    <Section title={texts.resolution}>
      {action === null && <Text>{texts.byItself}</Text>}
      <Facts
        facts={[
          [texts.action, action && words.action(action)],
          [texts.note, task.note],
          [texts.reference, task.external_reference],
          [texts.receiver, merchant && <MerchantLink id={merchant} />],
          [
            texts.receiverPayment,
            task.target_payment_id && <PaymentIdLink id={task.target_payment_id} />,
          ],
          [texts.resolved, task.resolved_at && <When at={task.resolved_at} />],
          [texts.by, by && <AdministratorName id={by} />],
        ]}
      />
    </Section>
  );
}
