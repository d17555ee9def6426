// One request and its native response, from the end of the head to the answer. Lifetimes of the native values
// (what the native side does besides: native.ts):
//
// - The request is valid inside its callback only: headers.ts has copied it before an exchange exists.
// - The response is valid until it was answered or aborted, whichever comes first; any use after that throws.
//   What is not answered inside the callback must have onAborted attached before it returns, else the native
//   side ends the process.
// - A chunk of a body is valid inside its callback only, and is copied when it must outlive it.
// - An exception that leaves a native callback before an answer ends the process: each has its own try.
import type { Credential } from '#actors/core/api-key.js';
import type { Admission } from '../auth/admission.js';
import { formatAddress } from '../routing/client-address.js';
import type { Session } from '../routing/session.js';
import { type Answer, type BodyChunks, type ApiError, buildApiError } from '../routing/response.js';
import { type OpenedRequest, runRequest } from './handle-request.js';
import { hasBody } from './headers.js';
import { type Head } from '../routing/request-head.js';
import type { ServerContext, RunningExchange } from './server-context.js';
import type { NativeResponse } from './native.js';
import type { Rendered } from './render.js';
import {
  type StreamEnd as OutflowEnding,
  ResponseStream,
  StalledError,
} from './response-stream.js';

export const BODY_LIMIT_BYTES = 64 * 1024;
/** A refused body is read and dropped up to here; one that is longer is answered while it still arrives. */
const DROP_LIMIT_BYTES = 4 * 1024 * 1024;
const DROP_DEADLINE_MS = 2_000;

/** What becomes of the connection: `linger` announces the close and leaves it to the client, or to the idle time-out. */
type ConnectionEnd = 'keep' | 'close' | 'linger';

interface AnswerForm {
  /** HEAD, 204: no body, and no length unless the connection closes, when the native side writes a 0. */
  readonly isEmpty: boolean;
  readonly isClosing: boolean;
}

const NO_BYTES = Buffer.alloc(0);
const VERSIONED_PREFIX = '/v1/';
const BODYLESS = new Set([204, 304]);
const TOO_LARGE = buildApiError('body_too_large');
const INTERNAL = buildApiError('internal_error');

export class Exchange implements RunningExchange {
  readonly requestId: string;
  readonly startedAtMs = performance.now();
  readonly #host: ServerContext;
  readonly #native: NativeResponse;
  readonly #head: Head;
  /** undefined: the request has no row. */
  #opening: OpenedRequest | undefined;
  /** Answered or aborted: the native response must not be used. */
  #isOver = false;
  #isAnswering = false;
  #isHandling = false;
  #isBodyComplete = true;
  #isAdmitted = false;
  #credential: Credential | undefined;
  #session: Session | undefined;
  /** Of a request that is noted. */
  #sentText = '';
  #limitLines = '';
  #address: string | undefined;
  /** Among those that run; undefined while it is in their callback, and once it is over. */
  #slot: number | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Sends a body in pieces; the exchange is over when it is. */
  #outflow: ResponseStream | undefined;
  /** Why the rest of the body is dropped. */
  #refusal: Answer | undefined;
  #dropTimer: NodeJS.Timeout | undefined;

  constructor(host: ServerContext, native: NativeResponse, head: Head, requestId: string) {
    this.requestId = requestId;
    this.#host = host;
    this.#native = native;
    this.#head = head;
    host.lastRequestAtMs = this.startedAtMs;
  }

  /** Inside the native callback. Nothing is thrown. */
  start(opened: OpenedRequest | ApiError): void {
    this.#attempt(() => this.#begin(opened));
    if (!this.#isOver) this.#attach();
  }

  #begin(opened: OpenedRequest | ApiError): void {
    if (hasBody(this.#head)) {
      this.#isBodyComplete = false;
      this.#native.onData((chunk, isLast) => {
        this.#attempt(() => this.#receive(chunk, isLast));
      });
    }
    if (opened.code !== null) return this.#refuse(opened);
    this.#opening = opened;
    const admission = this.#host.handling.admit(opened.route, this.#head, () =>
      this.#readAddress(),
    );
    if (!(admission instanceof Promise)) return this.#settle(admission);
    admission.then(
      (settled) => this.#attempt(() => this.#settle(settled)),
      (error: unknown) => this.fail(error),
    );
  }

  #attach(): void {
    this.#slot = this.#host.running.put(this);
    this.#native.onAborted(() => {
      this.#isOver = true;
      clearTimeout(this.#dropTimer);
      this.#outflow?.abandon();
      if (!this.#isHandling) this.#leave();
    });
  }

  get isStreaming(): boolean {
    return this.#outflow !== undefined;
  }

  #leave(): void {
    if (this.#slot !== undefined) this.#host.running.remove(this.#slot);
    this.#slot = undefined;
  }

  /** A bug: nothing of it is shown. Nothing is thrown. */
  fail(error: unknown): void {
    this.#logFailure(error);
    this.#isHandling = false;
    this.#isAnswering = false;
    try {
      this.#refuse(INTERNAL);
    } catch (second) {
      this.#logFailure(second);
      this.#abandon();
    }
  }

  #logFailure(error: unknown): void {
    this.#host.log.error({ err: error, requestId: this.requestId }, 'a request failed');
  }

  /** The last resort: no answer can be written, so the client sees a closed connection instead of none. */
  #abandon(): void {
    this.#leave();
    setImmediate(() => {
      try {
        this.#native.close();
      } catch {
        // Answered or aborted meanwhile: then it is closed, or in order.
      }
    });
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(error);
    }
  }

  #settle(admission: Admission): void {
    if (this.#isOver) return;
    this.#credential = admission.credential;
    if (admission.code !== null) return this.#refuse(this.#show(admission));
    this.#limitLines = admission.limitLines ?? '';
    if (this.#head.contentLength > this.#bodyLimit()) return this.#refuse(TOO_LARGE);
    this.#session = admission.session;
    this.#isAdmitted = true;
    if (this.#isBodyComplete) this.#run(this.#joinChunks());
  }

  #show(refusal: ApiError): Answer {
    return this.#opening?.route.showApiError?.(refusal, this.#head) ?? refusal;
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#isOver || this.#isAnswering) return;
    this.#size += chunk.byteLength;
    this.#isBodyComplete = isLast;
    if (this.#refusal !== undefined) return this.#drop(this.#refusal);
    if (this.#size > this.#bodyLimit()) return this.#refuse(TOO_LARGE);
    const isWhole = isLast && this.#chunks.length === 0;
    if (isWhole && this.#isAdmitted) return this.#run(Buffer.from(chunk));
    this.#chunks.push(Buffer.from(chunk.slice(0)));
    if (isLast && this.#isAdmitted) this.#run(this.#joinChunks());
  }

  #run(body: Buffer): void {
    const opening = this.#opening;
    if (opening === undefined) return;
    if (this.#isNoted()) this.#sentText = body.toString();
    const answer = runRequest(
      {
        opened: opening,
        head: this.#head,
        requestId: this.requestId,
        credential: this.#credential,
        session: this.#session,
        address: () => this.#readAddress(),
      },
      body,
    );
    if (!(answer instanceof Promise)) return this.#answer(answer, 'keep');
    this.#isHandling = true;
    answer.then(
      (settled) => this.#attempt(() => this.#answer(settled, 'keep')),
      (error: unknown) => this.fail(error),
    );
  }

  /** Answers at once when nothing more comes; else drops what comes, for a while. */
  #refuse(refusal: Answer): void {
    this.#chunks = [];
    if (this.#isBodyComplete) return this.#answer(refusal, 'keep');
    this.#refusal = refusal;
    if (this.#head.contentLength > DROP_LIMIT_BYTES) return this.#answer(refusal, 'linger');
    this.#dropTimer ??= setTimeout(() => {
      this.#attempt(() => this.#answer(refusal, 'close'));
    }, DROP_DEADLINE_MS);
  }

  #drop(refusal: Answer): void {
    if (this.#isBodyComplete) this.#answer(refusal, 'keep');
    else if (this.#size > DROP_LIMIT_BYTES) this.#answer(refusal, 'linger');
  }

  #answer(answer: Answer, ending: ConnectionEnd): void {
    clearTimeout(this.#dropTimer);
    this.#isHandling = false;
    if (this.#isOver) this.#leave();
    if (this.#isOver || this.#isAnswering) return releaseChunks(answer);
    this.#isAnswering = true;
    const mustClose = this.#head.isChunked || this.#head.fault !== '' || this.#host.isStopping;
    const settled = ending === 'keep' && mustClose ? 'close' : ending;
    if (settled !== 'close') return this.#write(answer, settled);
    setImmediate(() => this.#attempt(() => this.#write(answer, settled)));
  }

  #write(answer: Answer, ending: ConnectionEnd): void {
    if (this.#isOver) this.#leave();
    if (this.#isOver) return releaseChunks(answer);
    const { method, path } = this.#head;
    const rendered = this.#host.render(answer, this.requestId, path.startsWith(VERSIONED_PREFIX));
    const closing = ending === 'linger' ? '\r\nConnection: close' : '';
    const head = rendered.head + this.#limitLines + closing;
    const isEmpty = method === 'HEAD' || BODYLESS.has(rendered.status);
    const form = { isEmpty, isClosing: ending === 'close' };
    const pieces = answer.code === null && !isEmpty ? answer.chunks : undefined;
    if (isEmpty) releaseChunks(answer);
    if (pieces === undefined) this.#emit(head, rendered.body, form);
    else this.#stream(head, pieces, form);
    const durationMs = performance.now() - this.startedAtMs;
    const { status } = rendered;
    const { code } = answer;
    this.#host.observe({ path: this.#opening?.route.path ?? '', method, status, code, durationMs });
    if (this.#credential !== undefined) this.#note(rendered, code, durationMs);
  }

  #isNoted(): boolean {
    return this.#host.note !== undefined && this.#credential !== undefined;
  }

  /** After the answer was given to the native side. */
  #note({ status, body }: Rendered, code: string | null, durationMs: number): void {
    const credential = this.#credential;
    if (credential === undefined) return;
    const { method, path, query, idempotencyKey } = this.#head;
    this.#host.note?.({
      requestId: this.requestId,
      credential,
      method,
      path,
      query,
      idempotencyKey,
      status,
      code,
      durationMs,
      requestBody: this.#sentText,
      responseBody: typeof body === 'string' ? body : '',
    });
  }

  /** The native response lives on until the last piece was sent. */
  #stream(head: string, pieces: BodyChunks, { isClosing }: AnswerForm): void {
    this.#outflow = new ResponseStream({
      native: this.#native,
      pieces,
      isClosing,
      over: (ending, error) => this.#endStream(ending, error),
    });
    this.#native.cork(() => {
      this.#native.writeStatus(isClosing ? `${head}\r\nConnection: close` : head);
    });
    this.#outflow.start();
  }

  #endStream(ending: OutflowEnding, error: unknown): void {
    this.#isOver = true;
    this.#leave();
    if (ending !== 'cut') return;
    if (!(error instanceof StalledError)) this.#logFailure(error);
    this.#abandon();
  }

  #emit(head: string, body: string | Uint8Array, form: AnswerForm): void {
    this.#leave();
    this.#isOver = true;
    try {
      this.#native.cork(() => {
        this.#native.writeStatus(head);
        if (form.isEmpty && !form.isClosing) this.#native.endWithoutBody();
        else this.#native.end(form.isEmpty ? '' : body, form.isClosing);
      });
    } catch (error) {
      this.#logFailure(error);
      this.#abandon();
    }
  }

  #joinChunks(): Buffer {
    const [first = NO_BYTES] = this.#chunks;
    return this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
  }

  #bodyLimit(): number {
    return this.#opening?.route.bodyLimitBytes ?? BODY_LIMIT_BYTES;
  }

  /** Empty when the client has gone before it was read. */
  #readAddress(): string {
    if (this.#address === undefined && this.#isOver) return '';
    this.#address ??= this.#host.readAddress(
      formatAddress(this.#native.getRemoteAddress()),
      this.#head.forwardedFor,
    );
    return this.#address;
  }
}

/** An answer that nobody gets. */
function releaseChunks(answer: Answer): void {
  if (answer.code === null) answer.chunks?.return().catch(() => undefined);
}
