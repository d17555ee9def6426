// Pages of a list: the parameters `limit` and `cursor`, and the answer `{"data":[…],"next_cursor":…}`.
import { Type } from '@sinclair/typebox';
import type { FoundRows, Page, PagePlace } from '#store/postgres/page.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import { decodeCursor, encodeCursor, type CursorScope } from './cursor.js';

const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 20;

/** Query properties of each list. */
export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Rows on a page. Absent: ${DEFAULT_LIMIT}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: '`next_cursor` of the previous page. Absent: the first page.' }),
  ),
};

export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

export function readPage(scope: CursorScope, query: PageQuery): Page | ApiError {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (query.cursor === undefined) return { limit, after: null };
  const after = decodeCursor(scope, query.cursor);
  return after === undefined
    ? buildParameterError('cursor', 'must be a next_cursor of this list')
    : { limit, after };
}

export function buildParameterError(param: string, requirement: string): ApiError {
  return buildApiError('field_invalid', { message: `${param} ${requirement}.`, param });
}

/** `write` returns the JSON of a row. */
export function writePage<Row extends PagePlace>(
  scope: CursorScope,
  limit: number,
  { rows, stoppedAt }: FoundRows<Row>,
  write: (row: Row) => string,
): string {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : stoppedAt;
  const cursor = last ? encodeCursor(scope, last) : null;
  return `{"data":[${shown.map(write).join(',')}],"next_cursor":${JSON.stringify(cursor)}}`;
}
