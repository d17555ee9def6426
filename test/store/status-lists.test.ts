// The closed sets that a CHECK constraint lists in the database are the ones that TypeScript lists.
import t from 'tap';
import { MAIL_BUDGETS } from '#store/postgres/accounts/mails.js';
import { CHALLENGE_PURPOSES } from '#store/postgres/accounts/passkeys.js';
import { NOTICE_KINDS } from '#store/postgres/accounts/notices.js';
import { LOGO_TYPES } from '#store/postgres/merchants/settings.js';
import { APPROVAL_KINDS, APPROVAL_STATUSES } from '#actors/core/approvals/kinds.js';
import type { RefundEnd } from '#actors/core/approvals/refund-end.js';
import { ENVIRONMENTS } from '#actors/core/ids.js';
import { COMMAND_SOURCES } from '#actors/core/payment/commands.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { DIFFERENCE_FIELDS, DIFFERENCE_KINDS } from '#actors/core/tasks/rail-differences.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { PAYOUT_CONTRADICTIONS } from '#actors/core/statuses.js';
import { ROLES } from '#gateway/routing/roles.js';
import { MAIL_LANGUAGES } from '#gateway/mail/texts.js';
import { VERIFICATION_STATUSES } from '#gateway/accounts/users/schema.js';
import { SUBMISSION_STATUSES } from '#gateway/accounts/kyc/schema.js';
import { openPostgres } from '#store/postgres/client.js';
import { INVOICE_STATUSES } from '#store/postgres/links-and-invoices/invoices.js';
import { PAYMENT_MATTER_KINDS } from '#store/postgres/merchants/count-open-matters.js';
import { ERASURE_FIELDS } from '#store/postgres/payments/erasure-requests.js';
import type { bookAtRail } from '#store/postgres/ledger/book-at-rail.js';
import { TOTAL_OUTCOMES } from '#store/postgres/payments/read-totals.js';
import { CALLBACK_STATUSES } from '#store/postgres/rails/callbacks.js';
import { RECONCILIATION_STEPS } from '#store/postgres/rails/reconciliations.js';
import { INQUIRY_KINDS } from '#store/postgres/rails/inquiries.js';
import { TASK_STATUSES } from '#store/postgres/tasks/list-tasks.js';
import { DELIVERY_STATUSES } from '#store/postgres/webhooks/list-deliveries.js';
import { OWNER_EVENT_TYPES } from '#store/postgres/webhooks/failing-endpoints.js';
import { createDatabase } from '../support/servers.js';

/** For a union without a list: it does not compile unless each member is named. */
const listMembers = <Member extends string>(members: Record<Member, true>): string[] =>
  Object.keys(members);

const LISTS: Readonly<Record<string, readonly string[]>> = {
  'api_keys.environment': ENVIRONMENTS,
  'approvals.environment': listMembers<'LIVE'>({ LIVE: true }),
  'approvals.kind': APPROVAL_KINDS,
  'approvals.status': APPROVAL_STATUSES,
  'deferred_commands.source': COMMAND_SOURCES,
  'erasure_requests.environment': ENVIRONMENTS,
  'erasure_requests.field': ERASURE_FIELDS,
  'invoices.environment': ENVIRONMENTS,
  'invoices.language': MAIL_LANGUAGES,
  'invoices.status': INVOICE_STATUSES,
  'kyc_submissions.status': SUBMISSION_STATUSES,
  'mails.budget': MAIL_BUDGETS,
  'merchant_logos.media_type': LOGO_TYPES,
  'merchants.receipt_language': MAIL_LANGUAGES,
  'merchants.verification_status': VERIFICATION_STATUSES,
  'notices.kind': NOTICE_KINDS,
  'operator_tasks.environment': ENVIRONMENTS,
  'operator_tasks.status': TASK_STATUSES,
  'owner_events.environment': ENVIRONMENTS,
  'owner_events.type': OWNER_EVENT_TYPES,
  'payment_links.environment': ENVIRONMENTS,
  'payment_matters.environment': ENVIRONMENTS,
  'payment_matters.kind': PAYMENT_MATTER_KINDS,
  'payment_search.environment': ENVIRONMENTS,
  'payment_totals.environment': ENVIRONMENTS,
  'payment_totals.outcome': TOTAL_OUTCOMES,
  'payments.environment': ENVIRONMENTS,
  'payments.status': listMembers<PaymentState['status']>({
    creating: true,
    pending: true,
    paid: true,
    failed: true,
    cancelled: true,
    refunded: true,
  }),
  'passkey_challenges.purpose': CHALLENGE_PURPOSES,
  'payouts.contradiction': PAYOUT_CONTRADICTIONS,
  'payouts.environment': ENVIRONMENTS,
  'payouts.status': listMembers<PayoutState['status']>({
    PENDING: true,
    PROCESSING: true,
    COMPLETED: true,
    FAILED: true,
    MANUAL_REQUIRED: true,
    REVERSED: true,
  }),
  'rail_bookings.kind': listMembers<Parameters<typeof bookAtRail>[1]['kind']>({
    fee: true,
    fee_returned: true,
    settled: true,
    topped_up: true,
  }),
  'rail_callbacks.status': CALLBACK_STATUSES,
  'rail_differences.field': DIFFERENCE_FIELDS,
  'rail_differences.kind': DIFFERENCE_KINDS,
  'rail_reconciliations.step': RECONCILIATION_STEPS,
  'status_inquiries.kind': INQUIRY_KINDS,
  'refund_ends.environment': ENVIRONMENTS,
  'refund_ends.type': listMembers<RefundEnd['type']>({ complete_refund: true, fail_refund: true }),
  'users.language': MAIL_LANGUAGES,
  'users.role': ROLES,
  'webhook_deliveries.status': DELIVERY_STATUSES,
  'webhook_endpoints.environment': ENVIRONMENTS,
};

/** No TypeScript handles these values: SQL alone reads and writes them. */
const OF_SQL_ALONE = [
  'one_time_links.purpose',
  'payment_link_uses.state',
  'postings.cause_kind',
  'rail_calls.state',
];

const sql = openPostgres(await createDatabase(t), 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

/** By `table.column`. One value is written as an equality, several as `= ANY (ARRAY[…])`. */
async function readCheckedLists(): Promise<Map<string, string[]>> {
  const rows = await sql<{ name: string; definition: string }[]>`
    select conrelid::regclass || '.' || attname as name, pg_get_constraintdef(c.oid) as definition
      from pg_constraint c join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
     where contype = 'c' and cardinality(conkey) = 1`;
  return new Map(
    rows
      .filter(({ definition }) => /^CHECK \(\(\w+ = (ANY \(ARRAY\[)?'/.test(definition))
      .map(({ name, definition }) => [
        name,
        [...definition.matchAll(/'([^']*)'::text/g)].map(([, value]) => value ?? ''),
      ]),
  );
}

t.test('each list in a CHECK constraint has the members that TypeScript has', async (t) => {
  const checked = await readCheckedLists();
  for (const [name, members] of Object.entries(LISTS)) {
    t.strictSame(checked.get(name)?.toSorted(), [...members].sort(), name);
  }
});

t.test('each list in a CHECK constraint is compared, or is of SQL alone', async (t) => {
  const names = [...(await readCheckedLists()).keys()].sort();
  t.strictSame(names, [...Object.keys(LISTS), ...OF_SQL_ALONE].sort());
});
