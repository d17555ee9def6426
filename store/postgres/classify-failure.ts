// The meaning of a failed statement for its sender. postgres.js also rejects the next query with the error of a broken
// connection, so every error of a connection means "unknown".
import postgres from 'postgres';

/**
 * fenced: a position or an epoch has moved; nothing was stored.
 * exists: a payment that was folded as new exists; nothing was stored.
 * refused: Postgres will never accept this batch; nothing was stored.
 * unknown: the statement may have been stored; the positions decide.
 * impossible: the stored state contradicts an assumption of the code; the process must exit.
 */
export type StatementFailure = 'fenced' | 'exists' | 'refused' | 'unknown' | 'impossible';

const FENCED = 'KS001';
const IMPOSSIBLE = 'KS002';
const SESSION_ENDED = 'KS004';
const DUPLICATE = '23505';
const REFUSED_CLASSES = new Set(['21', '22', '23', '54']);
/** The statement does not fit the schema: the database was migrated for another version. */
const BROKEN_CLASSES = new Set(['0A', '42', 'P0']);

export function classifyFailure(error: unknown): StatementFailure {
  const code = readCode(error);
  if (code === FENCED) return 'fenced';
  if (code === IMPOSSIBLE) return 'impossible';
  if (!(error instanceof postgres.PostgresError)) return 'unknown';
  if (code === DUPLICATE && error.table_name === 'payments') return 'exists';
  if (REFUSED_CLASSES.has(code.slice(0, 2))) return 'refused';
  return BROKEN_CLASSES.has(code.slice(0, 2)) ? 'impossible' : 'unknown';
}

/** No connection: nothing was sent. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'CONNECT_TIMEOUT']);
/** Statement timeout, deadlock, serialization failure, lock not available. */
const ROLLED_BACK = new Set(['57014', '40P01', '40001', '55P03']);

/** The reason why nothing was stored, so that the statement can be repeated; undefined: it may have been stored. */
export function findUndoneReason(error: unknown): 'unreachable' | 'contended' | undefined {
  const code = readCode(error);
  if (UNREACHABLE.has(code)) return 'unreachable';
  return ROLLED_BACK.has(code) ? 'contended' : undefined;
}

/** The rail transaction is booked on another payment, or twice in the batch. */
export function isTransactionTaken(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false;
  return error.code === DUPLICATE && error.table_name === 'rail_transactions';
}

/** The session of the statement's actor has ended; nothing was stored. */
export function isSessionEnded(error: unknown): boolean {
  return hasCode(error, SESSION_ENDED);
}

/** A row with the same key exists; nothing was stored. */
export function isDuplicate(error: unknown): boolean {
  return hasCode(error, DUPLICATE);
}

/** `code`: an SQLSTATE, or the code of an error of the driver. */
export const hasCode = (error: unknown, code: string): boolean => readCode(error) === code;

function readCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
