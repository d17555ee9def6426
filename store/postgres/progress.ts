// How far long work is, for the person who waits for it.
import type { Postgres } from './client.js';

export interface Progress {
  readonly step: string;
  readonly done?: number | undefined;
  /** Absent: unknown. */
  readonly total?: number | undefined;
  /** `total` may be wrong. */
  readonly isEstimated?: boolean | undefined;
}

/** Called for each page of rows, so it must be cheap. */
export type TellProgress = (progress: Progress) => void;

export const tellNobody: TellProgress = () => undefined;

interface Explained {
  readonly Plan: { readonly 'Plan Rows': number };
}

/** The number of rows that the planner expects, since counting them would take long too. */
export async function estimateRows(sql: Postgres, query: ReturnType<Postgres>): Promise<number> {
  const rows = await sql<{ 'QUERY PLAN': readonly Explained[] }[]>`explain (format json) ${query}`;
  return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
}
