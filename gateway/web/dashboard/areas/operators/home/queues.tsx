// The decisions of an administrator: verifications, tasks, approvals, and money to be paid by hand.
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { formatCount } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { APPROVAL_TEXTS } from '../approvals/texts.js';
import { PayoutLink, RefundLink, TextLink } from '../parts/links.js';
import { useTaskWords } from '../tasks/texts.js';
import { HOME_TEXTS } from './texts.js';
import { AllLink, type Found, WaitingCard } from './waiting-card.js';

/** The most that one page of the API holds. */
const MAX_ROWS = 100;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

interface PageOf<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** Oldest first: they wait longest. */
function toOldestFirst<Row>({ data, next_cursor: next }: PageOf<Row>): Found<Row> {
  return { rows: [...data].reverse(), hasMore: next !== null };
}

export function KycCard(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  return (
    <WaitingCard
      title={texts.kyc}
      name="kyc"
      empty={texts.kycEmpty}
      link={<AllLink to="/admin/merchants" search={{ status: 'PENDING' }} of={texts.kyc} />}
      load={async () => {
        const params = { query: { status: 'PENDING', limit: MAX_ROWS } as const };
        return toOldestFirst(await unwrap(adminApi.GET('/v1/admin/merchants', { params })));
      }}
      rowKey={({ id }) => id}
      renderRow={({ id, business_name: name, created_at: at }) => (
        <>
          <TextLink to="/admin/merchants/$merchantId" params={{ merchantId: id }}>
            {name}
          </TextLink>
          <When at={at} isRelative />
        </>
      )}
    />
  );
}

interface AgedTask extends Pick<AdministratorSchema['OperatorTask'], 'id' | 'kind' | 'opened_at'> {
  /** When the list was read. */
  readonly ageMs: number;
}

async function loadTasks(): Promise<Found<AgedTask>> {
  const params = { query: { status: 'open', limit: MAX_ROWS } as const };
  const { rows, hasMore } = toOldestFirst(
    await unwrap(adminApi.GET('/v1/admin/tasks', { params })),
  );
  const nowMs = Date.now();
  const aged = rows.map((task) => ({ ...task, ageMs: nowMs - Date.parse(task.opened_at) }));
  return { rows: aged, hasMore };
}

export function TasksCard(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const words = useTaskWords();
  return (
    <WaitingCard
      title={texts.tasks}
      name="tasks"
      empty={texts.tasksEmpty}
      link={<AllLink to="/admin/tasks" of={texts.tasks} />}
      load={loadTasks}
      rowKey={({ id }) => id}
      renderSummary={(tasks) => <Ages tasks={tasks} />}
      renderRow={({ id, kind, opened_at: at }) => (
        <>
          <TextLink to="/admin/tasks/$taskId" params={{ taskId: id }}>
            {words.kind(kind)}
          </TextLink>
          <When at={at} isRelative />
        </>
      )}
    />
  );
}

function Ages({ tasks }: { readonly tasks: readonly AgedTask[] }): ReactNode {
  const { ages } = useTexts(HOME_TEXTS);
  const { language } = useLanguage();
  const counts = { day: 0, week: 0, older: 0 };
  for (const { ageMs } of tasks) {
    counts[ageMs < DAY_MS ? 'day' : ageMs < WEEK_MS ? 'week' : 'older'] += 1;
  }
  const names = ['day', 'week', 'older'] as const;
  return (
    <Group gap="md">
      {names.map((name) => (
        <Text
          key={name}
          size="sm"
          {...(name === 'older' && counts.older > 0 ? { fw: 650 } : { c: 'dimmed' })}
        >
          {formatCount(counts[name], language)} {ages[name]}
        </Text>
      ))}
    </Group>
  );
}

export function ApprovalsCard(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { kinds } = useTexts(APPROVAL_TEXTS);
  const { user } = useSession();
  return (
    <WaitingCard
      title={texts.approvals}
      name="approvals"
      empty={texts.approvalsEmpty}
      link={<AllLink to="/admin/approvals" search={{ status: 'proposed' }} of={texts.approvals} />}
      load={async () => {
        const params = { query: { status: 'proposed', limit: MAX_ROWS } as const };
        return toOldestFirst(await unwrap(adminApi.GET('/v1/admin/approvals', { params })));
      }}
      rowKey={({ id }) => id}
      renderRow={({ id, kind, amount, currency, proposed_by: by }) => (
        <>
          <span>
            <TextLink to="/admin/approvals/$approvalId" params={{ approvalId: id }}>
              {kinds[kind]}
            </TextLink>{' '}
            {by === user.id && (
              <Text span size="sm" c="dimmed">
                ({texts.own})
              </Text>
            )}
          </span>
          <Money minor={amount} currency={currency} />
        </>
      )}
    />
  );
}

interface ManualMoney {
  readonly id: string;
  readonly object: 'refund' | 'payout';
  readonly amount: string;
  readonly currency: string;
}

async function loadManual(): Promise<Found<ManualMoney>> {
  const query = { status: 'MANUAL_REQUIRED', environment: 'LIVE', limit: MAX_ROWS } as const;
  const [refunds, payouts] = await Promise.all([
    unwrap(adminApi.GET('/v1/admin/refunds', { params: { query } })),
    unwrap(adminApi.GET('/v1/admin/payouts', { params: { query } })),
  ]);
  return {
    rows: [...toOldestFirst(refunds).rows, ...toOldestFirst(payouts).rows],
    hasMore: refunds.next_cursor !== null || payouts.next_cursor !== null,
  };
}

export function ManualCard(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const search = { status: 'MANUAL_REQUIRED', env: 'LIVE' };
  return (
    <WaitingCard
      title={texts.money}
      name="manual"
      empty={texts.moneyEmpty}
      link={
        <Group gap="sm">
          <TextLink to="/admin/refunds" search={search}>
            {texts.refunds}
          </TextLink>
          <TextLink to="/admin/payouts" search={search}>
            {texts.payouts}
          </TextLink>
        </Group>
      }
      load={loadManual}
      rowKey={({ id }) => id}
      renderRow={({ id, object, amount, currency }) => (
        <>
          {object === 'refund' ? <RefundLink id={id} /> : <PayoutLink id={id} />}
          <Money minor={amount} currency={currency} />
        </>
      )}
    />
  );
}
