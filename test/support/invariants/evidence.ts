// The evidence for the invariants: the recorded requests, the tables after the run, and the positions that were seen
// during the run.
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import type { Entry } from '../load/history.js';

export interface PaymentRow {
  id: string;
  environment: string;
  status: string;
  amount: string;
  reference_id: string | null;
  version: number;
}

export interface EventRow {
  payment_id: string;
  version: number;
  type: string;
  envelope: string | null;
}

export interface PostingRow {
  cause_id: string;
  version: number;
  debit: string;
  credit: string;
  amount: string;
  reason: string;
}

export interface Tables {
  payments: PaymentRow[];
  /** By payment and version. */
  events: EventRow[];
  postings: PostingRow[];
  balances: { account: string; amount: string }[];
  railTransactions: { rail: string; transaction_id: string; payment_id: string }[];
  quarantined: { partition: number; command: string; error: string }[];
}

export interface PartitionSample {
  id: number;
  epoch: bigint;
  ms: bigint;
  seq: bigint;
}

export interface Evidence {
  readonly history: readonly Entry[];
  readonly tables: Tables;
  /** In the order in which they were seen. */
  readonly samples: readonly PartitionSample[];
  /** null: the test judges that itself. */
  readonly expectedQuarantined: number | null;
}

export async function loadTables(databaseUrl: string): Promise<Tables> {
  const sql = openPostgres(databaseUrl, 'test', 1);
  try {
    return {
      payments: await sql<PaymentRow[]>`
        select id, environment, status, amount::text, reference_id, version from payments`,
      events: await sql<EventRow[]>`
        select payment_id, version, type, envelope from payment_events
         order by payment_id, version, partition, position_ms, position_seq, index`,
      postings: await sql<PostingRow[]>`
        select cause_id, version, debit, credit, amount::text, reason from postings`,
      balances: await sql`select account, amount::text from balances`,
      railTransactions: await sql`select rail, transaction_id, payment_id from rail_transactions`,
      quarantined: await sql`select partition, command, error from quarantined_commands`,
    };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Reads epochs and positions once; while Postgres is away there is nothing to see. */
export async function samplePartitions(sql: Postgres): Promise<PartitionSample[]> {
  const rows = await sql<{ id: number; epoch: string; ms: string; seq: string }[]>`
    select id, epoch, position_ms as ms, position_seq as seq from partitions order by id`;
  return rows.map(({ id, epoch, ms, seq }) => ({
    id,
    epoch: BigInt(epoch),
    ms: BigInt(ms),
    seq: BigInt(seq),
  }));
}

const SAMPLE_EVERY_MS = 50;

/** Reads them again and again until `stop`. */
export function startSampler(sql: Postgres): { stop(): Promise<PartitionSample[]> } {
  const samples: PartitionSample[] = [];
  let underWay: Promise<void> | null = null;
  const timer = setInterval(() => {
    underWay ??= samplePartitions(sql)
      .then((rows) => void samples.push(...rows))
      .catch(() => {})
      .finally(() => {
        underWay = null;
      });
  }, SAMPLE_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await underWay;
      return samples;
    },
  };
}
