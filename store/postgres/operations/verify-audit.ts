// Verifies the audit log on one snapshot of the database, without the database's own functions: each row follows from its
// content and the row before it, each day ends with its head, and personal fields have their digest.
//
// A person who may write to all tables can compute the whole chain anew. So the report has a fingerprint of the heads of
// past days, which is kept outside of the database and compared later.
import { createHash } from 'node:crypto';
import type { Postgres } from '../client.js';
import { readConsistently } from '../consistent-reads.js';
import { estimateRows, tellNobody, type TellProgress } from '../progress.js';

const ROWS_A_READ = 1_000;
/** The report lists that many; all are counted. */
const MAX_FAULTS_LISTED = 100;
const NO_HASH = Buffer.alloc(0);

export interface AuditFault {
  /** A merchant's id; empty: the chain of what belongs to no merchant. */
  readonly chain: string;
  /** Its place in the chain; null: a row that was never linked. */
  readonly number: string | null;
  /** Of `audit_log`; null: the row is missing. */
  readonly id: string | null;
  readonly fault: string;
}

export interface AuditReport {
  readonly isSound: boolean;
  readonly chains: number;
  readonly rows: number;
  /** Rows whose personal fields were erased. */
  readonly erasedRows: number;
  readonly faultCount: number;
  /** In the order of chains and places, so that the first broken row of a chain comes first. */
  readonly faults: readonly AuditFault[];
  /** The last day that the fingerprint covers. */
  readonly fingerprintUntil: string;
  readonly fingerprint: string;
}

interface StoredRow {
  readonly chain: string;
  readonly day: string | null;
  readonly number: string | null;
  readonly id: string;
  readonly atMicros: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly address: string | null;
  readonly personal: string | null;
  readonly salt: Buffer | null;
  readonly personalDigest: Buffer;
  readonly hash: Buffer | null;
  readonly headNumber: string | null;
  readonly headHash: Buffer | null;
}

type LinkedRow = StoredRow & {
  readonly day: string;
  readonly number: string;
  readonly hash: Buffer;
};

interface Tally {
  chains: number;
  rows: number;
  erasedRows: number;
  faultCount: number;
  readonly faults: AuditFault[];
  readonly erasedUsers: ReadonlySet<string>;
}

/** `fingerprintUntil`: the last day of the fingerprint, YYYY-MM-DD in UTC. Rejects when Postgres cannot be read. */
export async function verifyAudit(
  sql: Postgres,
  fingerprintUntil: string,
  tell: TellProgress = tellNobody,
): Promise<AuditReport> {
  return readConsistently(sql, async (reading) => {
    await reading`set local statement_timeout = 0`;
    const erasedUsers = await loadErasedUsers(reading);
    const none = { chains: 0, rows: 0, erasedRows: 0, faultCount: 0 };
    const tally: Tally = { ...none, faults: [], erasedUsers };
    await verifyRows(reading, tally, tell);
    tell({ step: 'days' });
    await findLostHeads(reading, tally);
    const fingerprint = await buildFingerprint(reading, fingerprintUntil);
    const { chains, rows, erasedRows, faultCount, faults } = tally;
    const counts = { chains, rows, erasedRows, faultCount };
    return { isSound: faultCount === 0, ...counts, faults, fingerprintUntil, fingerprint };
  });
}

async function loadErasedUsers(sql: Postgres): Promise<ReadonlySet<string>> {
  const rows = await sql<{ target: string }[]>`
    select distinct target from audit_log where action = 'audit_log.erase'`;
  return new Set(rows.map(({ target }) => target));
}

/** Rows that were never linked come last in their chain. */
async function verifyRows(sql: Postgres, tally: Tally, tell: TellProgress): Promise<void> {
  const total = await estimateRows(sql, sql`select from audit_log`);
  tell({ step: 'rows', done: 0, total, isEstimated: true });
  const pages = sql<StoredRow[]>`
    select a.chain, to_char(a.day, 'YYYY-MM-DD') as day, a.number::text as number, a.id::text as id,
           ((extract(epoch from a.at) * 1000000)::bigint)::text as "atMicros", a.actor, a.action, a.target,
           a.before, a.after, a.address, a.personal, a.salt, a.personal_digest as "personalDigest", a.hash,
           h.number::text as "headNumber", h.hash as "headHash"
      from audit_log a left join audit_heads h on h.chain = a.chain and h.day = a.day
     order by a.chain, a.number nulls last, a.id`.cursor(ROWS_A_READ);
  let last: StoredRow | undefined;
  for await (const rows of pages) {
    for (const row of rows) {
      if (last?.chain !== row.chain) tally.chains += 1;
      verifyEnd(last, row, tally);
      const fault = findFault(row, last?.chain === row.chain ? last : undefined, tally);
      if (fault !== undefined) addFault(tally, row, fault);
      last = row;
    }
    tell({ step: 'rows', done: tally.rows, total, isEstimated: true });
  }
  verifyEnd(last, undefined, tally);
}

/** Compares the last row of a day with the head of the day. */
function verifyEnd(last: StoredRow | undefined, next: StoredRow | undefined, tally: Tally): void {
  if (last === undefined || !isLinked(last)) return;
  if (next?.chain === last.chain && next.day === last.day) return;
  if (last.headNumber === last.number && last.headHash?.equals(last.hash) === true) return;
  const head = last.headNumber === null ? 'has no head' : `ends at number ${last.headNumber}`;
  addFault(tally, last, `it is the last row of ${last.day}, which ${head} in audit_heads`);
}

function addFault(
  tally: Tally,
  { chain, number, id }: Omit<AuditFault, 'fault'>,
  fault: string,
): void {
  tally.faultCount += 1;
  if (tally.faults.length < MAX_FAULTS_LISTED) tally.faults.push({ chain, number, id, fault });
}

/** The next row is compared with this one as it is stored, so that one fault is not reported for all later rows. */

function findFault(row: StoredRow, last: StoredRow | undefined, tally: Tally): string | undefined {
  tally.rows += 1;
  if (row.salt === null) tally.erasedRows += 1;
  if (!isLinked(row)) return 'it was inserted past the trigger that links rows';
  const expected = BigInt(last?.number ?? 0) + 1n;
  if (BigInt(row.number) !== expected) return `number ${expected} is missing before it`;
  if (row.day < (last?.day ?? '')) return `its day is before the one of number ${last?.number}`;
  if (!hashRow(last?.hash ?? NO_HASH, row).equals(row.hash)) {
    return 'its hash does not follow from its content and the row before it';
  }
  return findPersonalFault(row, tally.erasedUsers);
}

function findPersonalFault(row: LinkedRow, erasedUsers: ReadonlySet<string>): string | undefined {
  const { actor, target, address, personal, salt } = row;
  if (salt !== null) {
    const digest = hash(salt, frame(address) + frame(personal));
    return digest.equals(row.personalDigest) ? undefined : 'its personal fields were changed';
  }
  if (erasedUsers.has(actor) || erasedUsers.has(target)) return undefined;
  return 'its personal fields were erased without an entry audit_log.erase';
}

const isLinked = (row: StoredRow): row is LinkedRow =>
  row.day !== null && row.number !== null && row.hash !== null;

/** The same as hash_audit_row in store/postgres/functions/audit.sql. */
function hashRow(previous: Buffer, row: LinkedRow): Buffer {
  const { chain, day, number, id, atMicros, actor, action, target, before, after } = row;
  const digest = row.personalDigest.toString('hex');
  const fields = [chain, day, number, id, atMicros, actor, action, target, before, after, digest];
  return hash(previous, fields.map(frame).join(''));
}

const frame = (field: string | null): string =>
  field === null ? '-' : `${Buffer.byteLength(field)}:${field}`;

const hash = (first: Buffer, text: string): Buffer =>
  createHash('sha256').update(first).update(text).digest();

/** Heads of days without rows: somebody deleted them all. */
async function findLostHeads(sql: Postgres, tally: Tally): Promise<void> {
  const rows = await sql<{ chain: string; number: string; day: string }[]>`
    select h.chain, h.number::text as number, to_char(h.day, 'YYYY-MM-DD') as day from audit_heads h
     where not exists (select from audit_log a where a.chain = h.chain and a.day = h.day)
     order by h.chain, h.day`;
  for (const { chain, number, day } of rows) {
    addFault(tally, { chain, number, id: null }, `all rows of ${day} until this one are missing`);
  }
}

/** The SHA-256 over all heads until a day; it never changes once the day is over. */
async function buildFingerprint(sql: Postgres, until: string): Promise<string> {
  const fingerprint = createHash('sha256');
  const pages = sql<{ chain: string; day: string; number: string; hash: string }[]>`
    select chain, to_char(day, 'YYYY-MM-DD') as day, number::text as number, encode(hash, 'hex') as hash
      from audit_heads where day <= ${until}::text::date order by day, chain`.cursor(ROWS_A_READ);
  for await (const rows of pages) {
    for (const { chain, day, number, hash } of rows)
      fingerprint.update([chain, day, number, hash].map(frame).join(''));
  }
  return fingerprint.digest('hex');
}
