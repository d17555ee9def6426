// The columns of every table that the audit log covers. A new table or column fails here until somebody decides whether
// a change of it matters for security.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { createDatabase } from '#test/support/servers.js';

const sql = openPostgres(await createDatabase(t), 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

/** Of tables with an audit trigger: columns whose change gives nobody a right and moves no money. */
const NOT_AUDITED: Readonly<Record<string, readonly string[]>> = {
  installation: ['installed_at'],
  switches: ['changed_at'],
  merchants: ['receipt_language', 'created_at'],
  merchant_logos: ['media_type', 'created_at'],
  // the maker is the actor of the entry about the insertion
  api_keys: ['name', 'created_at', 'last_used_at', 'made_by', 'made_by_email'],
  kyc_submissions: ['submitted_at', 'decided_at'],
  // totp_step only grows with each code; a second use of a code fails
  // passkeys has a row for each passkey
  // invited_by is the actor of the entry about the insertion
  users: ['language', 'totp_step', 'passkeys', 'created_at', 'lockout_mailed_at', 'invited_by'],
  // an authenticator reports these of itself
  passkeys: [
    ...['sign_count', 'transports', 'is_backup_eligible', 'is_backed_up', 'created_at'],
    'last_used_at',
  ],
  // the address is that of the actor; browser and system are what its client says
  sessions: ['address', 'browser', 'created_at', 'last_used_at', 'system'],
  recovery_codes: [],
  one_time_links: [],
  rail_bookings: ['currency', 'booked_at'],
  merchant_rail_routes: ['merchant_id', 'method'],
  refund_ends: ['decided_at'],
  webhook_endpoints: ['created_at'],
  // payout_events has each transition; `kasir ledger verify` compares both with the postings
  payouts: [
    ...['reference_id', 'description', 'fingerprint', 'version', 'rail', 'rail_reference'],
    ...['failure_code', 'is_unresolved', 'contradiction', 'created_at', 'sent_at', 'completed_at'],
    ...['failed_at', 'reversed_at', 'contradiction_closed_at', 'is_written_off', 'due_at'],
    ...['look_ups', 'called_back_at', 'is_unknown'],
  ],
  operator_tasks: [
    ...['kind', 'payment_id', 'payout_id', 'merchant_id', 'environment', 'details', 'opened_at'],
    ...['resolved_at', 'resolved_by', 'is_ending'],
  ],
  payment_links: ['slug', 'currency', 'uses', 'created_at'],
  // names and texts of customers can be erased
  invoices: [
    ...['customer_name', 'customer_email', 'language', 'notes', 'currency', 'items', 'due_at'],
    ...['revision', 'created_at', 'finalized_at', 'paid_at', 'voided_at'],
  ],
  // the value that is searched for can be erased
  erasure_requests: [
    ...[
      'sought',
      'created_at',
      'reached_at',
      'reached_id',
      'looked_through_at',
      'due_at',
      'completed_at',
    ],
  ],
  approvals: [
    ...[
      'environment',
      'currency',
      'proposed_at',
      'decided_at',
      'ended_at',
      'claim',
      'claimed_until',
    ],
  ],
};

/** Tables without an audit trigger. */
const OTHER_TABLES = {
  'the audit log itself': ['audit_log', 'audit_heads', 'failed_logins'],
  'bound ciphertexts: a submission names its documents': ['kyc_documents', 'kyc_document_parts'],
  'money, proven by kasir ledger verify': [
    ...['payments', 'payment_events', 'refunds', 'payout_events', 'postings', 'balance_rows'],
    ...['balance_checkpoints', 'rail_transactions', 'idempotency_claims'],
  ],
  'work of processes': [
    ...[
      'payments_processes',
      'postgres_timelines',
      'redis_servers',
      'partitions',
      'quarantined_commands',
      'deferred_commands',
      'rail_calls',
      'status_inquiries',
      'rail_facts',
    ],
    ...[
      'rail_offers',
      'rail_callbacks',
      'rail_reconciliations',
      'rail_sightings',
      'rail_differences',
    ],
    ...['webhook_cursors', 'webhook_events_set_aside', 'webhook_deliveries', 'webhook_attempts'],
    ...[
      'webhook_endpoint_failures',
      'owner_events',
      'payment_link_uses',
      'payment_follower_cursors',
    ],
    ...['payment_totals', 'payment_totals_cursors'],
    ...['payment_search', 'payment_search_cursors', 'payment_matters'],
    ...[
      'invoice_counters',
      'invoice_payments',
      'erasure_subjects',
      'erasure_finds',
      'erasure_walks',
    ],
    'kyc_uploads',
  ],
  'short-lived, and of use only with a session or a password': [
    ...['passkey_challenges', 'step_up_codes'],
  ],
  'recorded by their statements': ['webhook_replays', 'webhook_replay_parts'],
  'records and messages': ['api_logs', 'mails', 'notices'],
  'the schema': ['schema_files', 'schema_functions'],
};

interface Trigger {
  readonly table: string;
  /** The column that names a row in the log. */
  readonly subject: string;
  /** Empty: it fires for an update of any column. */
  readonly updateOf: readonly string[];
  readonly names: readonly string[];
}

async function readTriggers(): Promise<Trigger[]> {
  const rows = await sql<{ table: string; updateOf: string; names: string }[]>`
    select t.tgrelid::regclass::text as table,
           coalesce((select string_agg(a.attname, ',') from pg_attribute a
                      where a.attrelid = t.tgrelid and a.attnum = any(t.tgattr)), '') as "updateOf",
           encode(t.tgargs, 'escape') as names
      from pg_trigger t join pg_proc p on p.oid = t.tgfoid
     where p.proname = 'audit_change' and not t.tgisinternal order by 1`;
  return rows.map(({ table, updateOf, names }) => {
    const [subject = '', ...audited] = names.split('\\000').slice(0, -1);
    return { table, subject, updateOf: updateOf === '' ? [] : updateOf.split(','), names: audited };
  });
}

/** Generated columns are left out: they follow the others. */
async function readColumns(): Promise<Map<string, string[]>> {
  const rows = await sql<{ table: string; columns: string }[]>`
    select c.relname as table, string_agg(a.attname, ',') as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where a.attgenerated = '' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by 1 order by 1`;
  return new Map(rows.map(({ table, columns }) => [table, columns.split(',')]));
}

const columns = await readColumns();
const triggers = await readTriggers();

t.test('each table is audited or listed as one that need not be', (t) => {
  const audited = triggers.map(({ table }) => table);
  t.strictSame([...audited].sort(), Object.keys(NOT_AUDITED).sort(), 'the audited tables');
  const listed = [...audited, ...Object.values(OTHER_TABLES).flat()];
  t.strictSame([...listed].sort(), [...columns.keys()].sort(), 'all tables');
  t.end();
});

t.test('each column of an audited table is audited or listed as one that need not be', (t) => {
  for (const { table, subject, names, updateOf } of triggers) {
    const audited = names.map((name) => name.replace(/^[#~]/, ''));
    const listed = new Set([...audited, ...(NOT_AUDITED[table] ?? [])]);
    const own = (columns.get(table) ?? []).filter((name) => name !== subject);
    t.strictSame([...listed].filter((name) => name !== subject).sort(), own.sort(), table);
    const unseen = updateOf.length === 0 ? [] : audited.filter((name) => !updateOf.includes(name));
    t.strictSame(unseen, [], `an update of each audited column of ${table} fires the trigger`);
  }
  t.end();
});

t.test('secrets and addresses are marked, so that no row shows them', (t) => {
  for (const { table, names } of triggers) {
    for (const name of names) {
      const isSecret = /secret|digest|hash|fingerprint|^fields|^content|account_/.test(
        name.slice(1),
      );
      t.equal(name.startsWith('#'), isSecret, `${table}.${name}`);
      t.equal(name.startsWith('~'), /email$|phone$/.test(name), `${table}.${name}`);
    }
  }
  t.end();
});
