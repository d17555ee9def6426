// The address of a database in DATABASE_URL. Its parameter `pooling` is ours and not the server's: `transaction` leads to
// PgBouncer in transaction mode, where each transaction may have another session.

const POOLING = 'pooling';
const TRANSACTION = 'transaction';

export interface PostgresAddress {
  /** Without `pooling`, which the driver would send to the server. */
  readonly url: string;
  readonly isPooled: boolean;
}

const readPooling = (url: string): string | null =>
  URL.canParse(url) ? new URL(url).searchParams.get(POOLING) : null;

export const isPoolingKnown = (url: string): boolean =>
  [null, TRANSACTION].includes(readPooling(url));

export const isPooled = (url: string): boolean => readPooling(url) === TRANSACTION;

export function parsePostgresAddress(given: string): PostgresAddress {
  if (!isPooled(given)) return { url: given, isPooled: false };
  const url = new URL(given);
  url.searchParams.delete(POOLING);
  return { url: url.href, isPooled: true };
}
