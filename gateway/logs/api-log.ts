// Hands what keys asked and were answered to the API logs, behind the answer: lines are collected, and every
// FLUSH_MS they are one append to a bounded stream that a webhooks process empties. Nobody waits for it. What does
// not fit, since Redis is away or the backlog is full, is dropped and counted: the path is never slowed.
//
// Bodies of good answers were checked for card numbers by the handlers' schemas. Everything else is looked at here,
// so that none reaches the stream; the rest is masked by the reader (actors/webhooks/api-logs/mask.ts).
import { hasCardNumber } from '../../actors/core/card-data.js';
import type { Credential } from '../../actors/core/credential.js';
import { MAX_BACKLOG, withoutMarks, writeRecord } from '../../store/redis/api-logs.js';

const FLUSH_MS = 20;
const MAX_BUFFERED = 128 * 1024;
const MAX_BODY = 16 * 1024;
const PAUSE_MS = 250;
const MAX_WAITING = 4;
const REMOVED = '"[removed]"';
const TOO_LONG = '"[too long]"';

export interface LoggedExchange {
  readonly requestId: string;
  readonly credential: Credential;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly idempotencyKey: string;
  readonly status: number;
  /** Of a refusal. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly requestBody: string;
  readonly responseBody: string;
}

export interface ApiLogParts {
  /** Answers the backlog. */
  append(lines: string): Promise<number>;
  onDropped(count: number): void;
  nowMs(): number;
}

export class ApiLog {
  readonly #parts: ApiLogParts;
  #lines = '';
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #pausedUntilMs = 0;
  #waiting = 0;

  constructor(parts: ApiLogParts) {
    this.#parts = parts;
  }

  /** Nothing is thrown, nothing is waited for. */
  note(exchange: LoggedExchange): void {
    const atMs = this.#parts.nowMs();
    if (atMs < this.#pausedUntilMs || this.#waiting >= MAX_WAITING) return this.#parts.onDropped(1);
    const { credential, code, path, query, idempotencyKey } = exchange;
    const { merchantId, environment, keyId } = credential;
    this.#lines += writeRecord({
      ...{ atMs, merchantId, environment, keyId },
      requestId: exchange.requestId,
      method: exchange.method,
      path: withoutCards(path),
      query: query === '' ? '' : code === 'card_data_refused' ? '[removed]' : withoutCards(query),
      status: exchange.status,
      code: code ?? '',
      durationMs: Math.round(exchange.durationMs),
      idempotencyKey: idempotencyKey === '' ? '' : withoutCards(idempotencyKey),
      requestBody:
        code === 'card_data_refused' ? REMOVED : bodyOf(exchange.requestBody, code !== null),
      responseBody: bodyOf(exchange.responseBody, code !== null),
    });
    this.#count += 1;
    if (this.#lines.length > MAX_BUFFERED) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [lines, count] = [this.#lines, this.#count];
    this.#lines = '';
    this.#count = 0;
    if (count === 0) return;
    this.#waiting += 1;
    this.#parts
      .append(lines)
      .then(
        (backlog) => {
          if (backlog >= MAX_BACKLOG) this.#pause();
        },
        () => {
          this.#parts.onDropped(count);
          this.#pause();
        },
      )
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  #pause(): void {
    this.#pausedUntilMs = this.#parts.nowMs() + PAUSE_MS;
  }
}

/** As it was sent, and as it is read. */
const withoutCards = (text: string): string =>
  hasCardNumber(text) || (/[%+]/.test(text) && hasCardNumber(decode(text))) ? '[removed]' : text;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text.replace(/%[0-9a-f]{2}|\+/gi, ' ');
  }
}

/** Escapes can hide digits from whoever does not parse them, and what is refused may be no JSON. */
function bodyOf(text: string, isRefused: boolean): string {
  if (text === '') return '';
  if (text.length > MAX_BODY) return TOO_LONG;
  if (!isRefused) return text;
  return text.includes('\\u') || hasCardNumber(text) ? REMOVED : withoutMarks(text);
}
