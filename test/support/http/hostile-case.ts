// What a hostile request is, and what must come of it.
import type { Step } from './raw.js';

export interface Shot {
  readonly key: string;
  /** An idempotency key of this case alone; `smuggled` is that of a request that must never be handled. */
  readonly id: string;
  readonly smuggled: string;
}

export interface HostileCase {
  readonly name: string;
  steps(shot: Shot): readonly Step[];
  /** The statuses heard on the connection, in order; each a set of those allowed. Empty: whatever fits `handled`. */
  readonly statuses: readonly (readonly number[])[];
  /** The code of the first error body. */
  readonly code?: string;
  /** How often the case's own request may be handled. */
  readonly handled?: readonly number[];
  /** Whether the server ends the connection; by default it does not matter. */
  readonly isClosed?: boolean;
  /** Needs a handler that takes its time: our own. */
  readonly isTimed?: boolean;
  /** Ends by a time-out of the server: about 10 to 14 s. */
  readonly isSlow?: boolean;
}

export const BODY = '{"amount":"15000"}';

/** The head of a create, without its end. */
export function headOf(shot: Shot, lines: readonly string[]): string {
  return [
    'POST /v1/payments HTTP/1.1',
    'Host: test',
    'Content-Type: application/json',
    `Authorization: Bearer ${shot.key}`,
    `Idempotency-Key: ${shot.id}`,
    ...lines,
  ].join('\r\n');
}

/** A create that a desynchronised server would take for the next request. */
export function smuggle(shot: Shot): string {
  const hidden = headOf({ ...shot, id: shot.smuggled }, [`Content-Length: ${BODY.length}`]);
  return `${hidden}\r\n\r\n${BODY}`;
}

/** A whole create with further header lines and a body of its own. */
export function create(
  shot: Shot,
  body: string | Buffer = BODY,
  lines: readonly string[] = [],
): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const head = headOf(shot, [`Content-Length: ${bytes.length}`, ...lines]);
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), bytes]);
}
