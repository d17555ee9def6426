// Writes API logs: each request with an API key and its answer. Requests never wait for it: `note` adds a record to a
// page in memory, and every FLUSH_MS the page is appended to a bounded Redis stream that the webhooks process reads.
// If Redis is unreachable or the backlog is full, records are dropped and counted.
//
// Card numbers must not reach the stream. The handlers' schemas check the bodies of successful requests; paths,
// queries, idempotency keys and the bodies of errors are checked here. The reader masks customer data
// (actors/webhooks/followers/api-log-mask.ts).
import { mayHoldCardData, mayHoldCardDataInUrl } from '#actors/core/card-data.js';
import type { Credential } from '#actors/core/api-key.js';
import { MAX_BODY, RecordPage, removeSeparators } from '#store/redis/api-log-page.js';

const FLUSH_MS = 100;
const PAUSE_MS = 250;
/** Pages that are being appended at the same time. */
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
  /** The error code; null for a successful request. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly requestBody: string;
  readonly responseBody: string;
}

export interface ApiLogWriterDeps {
  /** Returns whether the page was stored. The writer does not reuse its bytes before. */
  append(page: Buffer): Promise<boolean>;
  onDropped(count: number): void;
  nowMs(): number;
  monotonicMs(): number;
}

export class ApiLogWriter {
  readonly #deps: ApiLogWriterDeps;
  #page: RecordPage = new RecordPage();
  /** Cleared pages for reuse. */
  readonly #freePages: RecordPage[] = [];
  #timer: NodeJS.Timeout | undefined;
  #pausedUntilMs = -Infinity;
  #waiting = 0;

  constructor(deps: ApiLogWriterDeps) {
    this.#deps = deps;
  }

  /** Never throws and never waits. */
  note(exchange: LoggedExchange): void {
    const isPaused = this.#deps.monotonicMs() < this.#pausedUntilMs;
    if (isPaused || this.#waiting >= MAX_WAITING) return this.#deps.onDropped(1);
    const { credential, code, query } = exchange;
    const isCard = code === 'card_data_refused';
    const isNoted = this.#page.add({
      atMs: this.#deps.nowMs(),
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
    if (!isNoted) return this.#deps.onDropped(1);
    if (this.#page.isFull) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const page = this.#page;
    if (page.count === 0) return;
    this.#page = this.#freePages.pop() ?? new RecordPage();
    this.#waiting += 1;
    void this.#append(page).then((isStored) => {
      if (!isStored) this.#deps.onDropped(page.count);
      this.#waiting -= 1;
      page.clear();
      this.#freePages.push(page);
    });
  }

  async #append(page: RecordPage): Promise<boolean> {
    const isStored = await this.#deps.append(page.bytes).catch(() => false);
    if (!isStored) this.#pausedUntilMs = this.#deps.monotonicMs() + PAUSE_MS;
    return isStored;
  }
}

const removeCards = (text: string): string => (mayHoldCardDataInUrl(text) ? '[removed]' : text);

/** A failed request's body may be invalid JSON, so it is not parsed: one with escapes, which can hide digits, is removed. */
function formatBody(text: string, isError: boolean): string {
  if (text === '') return '';
  if (text.length > MAX_BODY) return TOO_LONG;
  if (!isError) return text;
  return text.includes('\\u') || mayHoldCardData(text) ? REMOVED : removeSeparators(text);
}
