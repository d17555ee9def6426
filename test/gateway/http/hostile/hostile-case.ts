// A hostile request and its expected outcome.
import type { Step } from '#test/support/http/raw.js';

export interface Shot {
  readonly key: string;
  /** An idempotency key of this case only; `smuggled` is the key of a request that must never be handled. */
  readonly id: string;
  readonly smuggled: string;
  /** Until the case's own request is handled. */
  readonly waitUntilHandled: () => Promise<unknown>;
}

export interface HostileCase {
  readonly name: string;
  steps(shot: Shot): readonly Step[];
  /** The allowed statuses of each answer, in order. Empty: any that fit `handled`. */
  readonly statuses: readonly (readonly number[])[];
  /** The code of the first error body. */
  readonly code?: string;
  /** How often the case's own request may be handled. */
  readonly handled?: readonly number[];
  /** Whether the server must end the connection; undefined: either. */
  readonly isClosed?: boolean;
  /** Needs the slow handler of startTarget. */
  readonly isTimed?: boolean;
  /** Ends by a time-out of the server, after 10 to 14 s. */
  readonly isSlow?: boolean;
}

export const BODY = '{"amount":"15000"}';

/** The head of a create, without its end. */
export function buildHead(shot: Shot, lines: readonly string[]): string {
  return [
    'POST /v1/payments HTTP/1.1',
    'Host: test',
    'Content-Type: application/json',
    `Authorization: Bearer ${shot.key}`,
    `Idempotency-Key: ${shot.id}`,
    ...lines,
  ].join('\r\n');
}

/** A create that a desynchronized server would handle as the next request. */
export function smuggle(shot: Shot): string {
  const hidden = buildHead({ ...shot, id: shot.smuggled }, [`Content-Length: ${BODY.length}`]);
  return `${hidden}\r\n\r\n${BODY}`;
}

/** A complete create with its own body and additional header lines. */
export function create(
  shot: Shot,
  body: string | Buffer = BODY,
  lines: readonly string[] = [],
): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const head = buildHead(shot, [`Content-Length: ${bytes.length}`, ...lines]);
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), bytes]);
}
