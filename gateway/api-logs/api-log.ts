// Hands what keys asked and were answered to the API logs, behind the answer: it is noted on a page, and every
// FLUSH_MS that is one append to a bounded stream that a webhooks process empties. Nobody waits for it. What does
// not fit, since Redis is away or the backlog is full, is dropped and counted: the path is never slowed.
//
// Bodies of good answers were checked for card numbers by the handlers' schemas. Everything else is looked at here,
// so that none reaches the stream; the rest is masked by the reader (actors/webhooks/maintenance/api-log-mask.ts).
import { hasCardNumber } from '#actors/core/card-data.js';
import type { Credential } from '#actors/core/api-key.js';
import { MAX_BODY, RecordPage, removeSeparators } from '#store/redis/api-log-page.js';

const FLUSH_MS = 100;
const PAUSE_MS = 250;
/** Pages that are on their way. */
const MAX_WAITING = 16;
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

export interface ApiLogWriterDeps {
  /** Answers whether the page was taken. Its bytes stay as they are until then. */
  append(page: Buffer): Promise<boolean>;
  onDropped(count: number): void;
  nowMs(): number;
}

export class ApiLogWriter {
  readonly #parts: ApiLogWriterDeps;
  #page: RecordPage = new RecordPage();
  /** To be used again. */
  readonly #empty: RecordPage[] = [];
  #timer: NodeJS.Timeout | undefined;
  #pausedUntilMs = 0;
  #waiting = 0;

  constructor(parts: ApiLogWriterDeps) {
    this.#parts = parts;
  }

  /** Nothing is thrown, nothing is waited for. */
  note(exchange: LoggedExchange): void {
    const atMs = this.#parts.nowMs();
    if (atMs < this.#pausedUntilMs || this.#waiting >= MAX_WAITING) return this.#parts.onDropped(1);
    const { credential, code, query } = exchange;
    const isCard = code === 'card_data_refused';
    const isNoted = this.#page.add({
      atMs,
      requestId: exchange.requestId,
      merchantId: credential.merchantId,
      environment: credential.environment,
      keyId: credential.keyId,
      method: exchange.method,
      path: removeCards(exchange.path),
      query: isCard && query !== '' ? '[removed]' : removeCards(query),
      status: exchange.status,
      code: code ?? '',
      durationMs: Math.round(exchange.durationMs),
      idempotencyKey: removeCards(exchange.idempotencyKey),
      requestBody: isCard ? REMOVED : formatBody(exchange.requestBody, code !== null),
      responseBody: formatBody(exchange.responseBody, code !== null),
    });
    if (!isNoted) return this.#parts.onDropped(1);
    if (this.#page.isFull) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const page = this.#page;
    if (page.count === 0) return;
    this.#page = this.#empty.pop() ?? new RecordPage();
    this.#waiting += 1;
    void this.#append(page).then((isTaken) => {
      if (!isTaken) this.#parts.onDropped(page.count);
      this.#waiting -= 1;
      page.clear();
      this.#empty.push(page);
    });
  }

  async #append(page: RecordPage): Promise<boolean> {
    const isTaken = await this.#parts.append(page.bytes).catch(() => false);
    if (!isTaken) this.#pausedUntilMs = this.#parts.nowMs() + PAUSE_MS;
    return isTaken;
  }
}

/** As it was sent, and as it is read. */
const removeCards = (text: string): string =>
  hasCardNumber(text) || (/[%+]/.test(text) && hasCardNumber(decode(text))) ? '[removed]' : text;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text.replace(/%[0-9a-f]{2}|\+/gi, ' ');
  }
}

/** Escapes can hide digits from whoever does not parse them, and what is refused may be no JSON. */
function formatBody(text: string, isRefused: boolean): string {
  if (text === '') return '';
  if (text.length > MAX_BODY) return TOO_LONG;
  if (!isRefused) return text;
  return text.includes('\\u') || hasCardNumber(text) ? REMOVED : removeSeparators(text);
}
