// What a failed statement means for the one who sent it. FACTS: postgres.js hands the error of a broken
// connection to the next, innocent query as well; so whatever smells of the connection means "unknown".
import postgres from 'postgres';

/**
 * fenced: a position or an epoch has moved, nothing was kept.
 * exists: a payment was folded as new and is stored already, nothing was kept.
 * refused: the database will never take this batch, nothing was kept.
 * unknown: it may or may not have been kept; the positions tell.
 * impossible: the stored state contradicts what the code may assume; the process must exit.
 */
export type StatementFailure = 'fenced' | 'exists' | 'refused' | 'unknown' | 'impossible';

const FENCED = 'KS001';
const IMPOSSIBLE = 'KS002';
const EXISTS = 'KS003';
const REFUSED_CLASSES = new Set(['21', '22', '23', '54']);
// A statement that cannot be run as written: the schema is not the one that this code was built for.
const BROKEN_CLASSES = new Set(['0A', '42', 'P0']);

/** Classifies whatever a query rejected with. */
export function classifyFailure(error: unknown): StatementFailure {
  const code = readCode(error);
  if (code === FENCED) return 'fenced';
  if (code === IMPOSSIBLE) return 'impossible';
  if (code === EXISTS) return 'exists';
  if (!(error instanceof postgres.PostgresError)) return 'unknown';
  if (REFUSED_CLASSES.has(code.slice(0, 2))) return 'refused';
  return BROKEN_CLASSES.has(code.slice(0, 2)) ? 'impossible' : 'unknown';
}

/** The connection could not be made: nothing was sent. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'CONNECT_TIMEOUT']);
/** Cancelled for its time, a deadlock, a lock that is not to be had. */
const ROLLED_BACK = new Set(['57014', '40P01', '40001', '55P03']);

/** Why nothing of a sound statement was kept, so that it can be repeated; undefined: that is not known. */
export function findUndoneReason(error: unknown): 'unreachable' | 'contended' | undefined {
  const code = readCode(error);
  if (UNREACHABLE.has(code)) return 'unreachable';
  return ROLLED_BACK.has(code) ? 'contended' : undefined;
}

/** A rail transaction stands on another payment already, or twice in the batch: it counts once. */
export function isTransactionTaken(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false;
  return error.code === '23505' && error.table_name === 'rail_transactions';
}

/** A row of that key is there already: nothing was stored. */
export function isDuplicate(error: unknown): boolean {
  return readCode(error) === '23505';
}

function readCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
