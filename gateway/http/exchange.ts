// One request and its native response, from the end of the head to the answer.
//
//   OPENED ──admit──▶ ADMITTED ──body complete──▶ HANDLING ──▶ ANSWERING ──▶ OVER
//      │ error            │ body too large, too late              ▲
//      └──────────────────┴──▶ DROPPING (reads the rest of the body)
//   any state ── the client disconnects ──▶ OVER (ABORTED)
//
// On a route with large bodies (`beginBody`) the connection is paused while it is OPENED, and ADMITTED needs a permit.
//
// Lifetimes of the native values (native.ts lists their pitfalls):
//
// - The request is valid inside its callback only: receiver.ts has copied its head before an exchange exists.
// - The response is valid until it is answered or aborted; a later use throws. A response that is not answered inside the
//   callback needs onAborted before the callback returns, else the native side ends the process.
// - A chunk of a body is valid inside its callback only, and is copied when it must outlive it.
// - An exception that leaves a native callback before an answer ends the process: each callback has its own try.
import type { Credential } from '#actors/core/api-key.js';
import type { Admission } from '../auth/admission.js';
import type { WithinLimit } from '../limits/limits.js';
import { formatAddress } from '../routing/client-address.js';
import type { Head, Session } from '../routing/request.js';
import { type Answer, type ApiError, type BodyChunks, buildApiError } from '../routing/response.js';
import type { BodyPermit } from '../routing/route.js';
import type { OpenedRequest } from '../routing/router.js';
import { mapStoreFailure } from '../routing/store-failures.js';
import {
  type AdmittedRequest,
  beginLargeBody,
  joinChunks,
  RequestBody,
  runRequest,
} from './handle-request.js';
import { sendContinue, writeFinalHead } from './interim-answer.js';
import type { NativeResponse } from './native.js';
import { type AnswerForm, CONNECTION_LINES, type ConnectionEnd, type Rendered } from './render.js';
import { DROP_DEADLINE_MS, DROP_LIMIT_BYTES } from './request-limits.js';
import { beginRequestSpan, type RequestSpan } from './request-span.js';
import { isExpectedCut, releaseChunks, ResponseStream, type StreamEnd } from './response-stream.js';
import type { RunningExchange, ServerContext } from './server-context.js';

const VERSIONED_PREFIX = '/v1/';
const BODYLESS = new Set([204, 304]);
const INTERNAL = buildApiError('internal_error');

export class Exchange implements RunningExchange {
  readonly requestId: string;
  readonly startedAtMs = performance.now();
  readonly #context: ServerContext;
  readonly #native: NativeResponse;
  readonly #head: Head;
  /** undefined: the request has no route. */
  #opened: OpenedRequest | undefined;
  /** Answered or aborted: the native response must not be used any more. */
  #isOver = false;
  #isAnswering = false;
  #isHandling = false;
  #isAdmitted = false;
  #credential: Credential | undefined;
  #session: Session | undefined;
  /** The body of a request that goes into the API logs. */
  #sentText = '';
  #within: WithinLimit | undefined;
  #address: string | undefined;
  /** The slot in `running`; undefined inside the native callback and once the exchange is over. */
  #slot: number | undefined;
  readonly #body: RequestBody;
  #span: RequestSpan | undefined;
  /** Sends a streamed body; the exchange is over when it ends. */
  #stream: ResponseStream | undefined;
  /** The error to answer once the rest of the body is dropped. */
  #error: Answer | undefined;
  #dropTimer: NodeJS.Timeout | undefined;

  constructor(context: ServerContext, native: NativeResponse, head: Head, requestId: string) {
    this.requestId = requestId;
    this.#context = context;
    this.#native = native;
    this.#head = head;
    this.#body = new RequestBody(native, head);
    context.lastRequestAtMs = this.startedAtMs;
  }

  /** Runs inside the native callback. Does not throw. */
  start(opened: OpenedRequest | ApiError): void {
    this.#attempt(() => this.#begin(opened));
    if (!this.#isOver) this.#attach();
  }

  get isStreaming(): boolean {
    return this.#stream !== undefined;
  }

  /** Answers 503 for a store failure and 500 for a bug, without its details. Does not throw. */
  fail(error: unknown): void {
    const answer = this.#mapFailure(error);
    this.#isHandling = false;
    this.#isAnswering = false;
    try {
      this.#answerError(answer);
    } catch (second) {
      this.#logBug(second);
      this.#abandon();
    }
  }

  #begin(opened: OpenedRequest | ApiError): void {
    sendContinue(this.#native, this.#head);
    if (!this.#body.isComplete) {
      if (opened.code === null && opened.route.beginBody !== undefined) this.#body.pause();
      this.#native.onData((chunk, isLast) => {
        this.#attempt(() => this.#receive(chunk, isLast));
      });
    }
    this.#span = beginRequestSpan(this.#context.tracer, this.#head, opened, this.requestId);
    if (opened.code !== null) return this.#answerError(opened);
    this.#opened = opened;
    const admission = this.#context.admit(opened.route, this.#head, () => this.#readAddress());
    if (!(admission instanceof Promise)) return this.#settle(admission);
    admission.then(
      (settled) => this.#attempt(() => this.#settle(settled)),
      (error: unknown) => this.fail(error),
    );
  }

  #attach(): void {
    this.#slot = this.#context.running.put(this);
    this.#native.onAborted(() => {
      this.#isOver = true;
      this.#span?.abandon();
      clearTimeout(this.#dropTimer);
      this.#stream?.abandon();
      if (!this.#isHandling) this.#leave();
    });
  }

  #leave(): void {
    if (this.#slot !== undefined) this.#context.running.remove(this.#slot);
    this.#slot = undefined;
    this.#body.release();
  }

  #mapFailure(error: unknown): Answer {
    const failure = mapStoreFailure(error);
    if (failure === undefined) {
      this.#logBug(error);
      return INTERNAL;
    }
    this.#context.logStoreFailure(error, this.requestId);
    return this.#show(failure);
  }

  #logBug(error: unknown): void {
    this.#context.log.error({ err: error, requestId: this.requestId }, 'a request failed');
  }

  /** The last resort, when no answer can be written: closes the connection. */
  #abandon(): void {
    this.#leave();
    setImmediate(() => {
      try {
        this.#native.close();
      } catch {
        // It was answered or aborted meanwhile.
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
    if (admission.code !== null) return this.#answerError(this.#show(admission));
    this.#within = admission.within;
    const tooLarge = this.#body.findSizeError(this.#opened?.route);
    if (tooLarge !== undefined) return this.#answerError(tooLarge);
    this.#session = admission.session;
    if (this.#opened?.route.beginBody === undefined) return this.#readBody();
    beginLargeBody(this.#describe(this.#opened)).then(
      (permit) => this.#attempt(() => this.#settlePermit(permit)),
      (error: unknown) => this.fail(error),
    );
  }

  #readBody(): void {
    this.#isAdmitted = true;
    if (this.#body.isComplete) this.#run(this.#body.chunks);
  }

  #settlePermit(permit: BodyPermit | ApiError): void {
    if (permit.code !== null) return this.#answerError(permit);
    if (this.#isOver || this.#isAnswering) return permit.release();
    this.#body.grant(permit, (error) => this.#attempt(() => this.#answerError(error)));
    this.#readBody();
  }

  #show(error: ApiError): Answer {
    return this.#opened?.route.showApiError?.(error, this.#head) ?? error;
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#isOver || this.#isAnswering) return;
    this.#body.count(chunk, isLast);
    if (this.#error !== undefined) return this.#answerError(this.#error);
    const tooLarge = this.#body.findSizeError(this.#opened?.route);
    if (tooLarge !== undefined) return this.#answerError(tooLarge);
    if (isLast && this.#isAdmitted) return this.#run(this.#body.end(chunk));
    this.#body.keep(chunk);
  }

  /** A chunk may be valid inside the native callback only. */
  #run(chunks: readonly ArrayBuffer[]): void {
    const opened = this.#opened;
    if (opened === undefined) return;
    if (this.#context.note !== undefined && this.#credential !== undefined) {
      this.#sentText = joinChunks(chunks).toString();
    }
    const admitted = this.#describe(opened);
    const answer = this.#span
      ? this.#span.run(() => runRequest(admitted, chunks))
      : runRequest(admitted, chunks);
    if (!(answer instanceof Promise)) return this.#answer(answer, 'keep');
    this.#isHandling = true;
    answer.then(
      (settled) => this.#attempt(() => this.#answer(settled, 'keep')),
      (error: unknown) => this.fail(error),
    );
  }

  #describe(opened: OpenedRequest): AdmittedRequest {
    return {
      opened,
      head: this.#head,
      requestId: this.requestId,
      credential: this.#credential,
      session: this.#session,
      address: () => this.#readAddress(),
    };
  }

  /** Answers at once when the body is complete, or when the client waits with it; else reads and drops the rest first. */
  #answerError(error: Answer): void {
    if (!this.#isOver) this.#body.drop();
    if (this.#body.isComplete) return this.#answer(error, 'keep');
    this.#error = error;
    const isTooLong = Math.max(this.#head.contentLength, this.#body.size) > DROP_LIMIT_BYTES;
    if (isTooLong || error.code === 'expectation_unsupported') return this.#answer(error, 'linger');
    this.#dropTimer ??= setTimeout(() => {
      this.#attempt(() => this.#answer(error, 'close'));
    }, DROP_DEADLINE_MS);
  }

  #answer(answer: Answer, wanted: ConnectionEnd): void {
    clearTimeout(this.#dropTimer);
    this.#isHandling = false;
    if (this.#isOver) this.#leave();
    if (this.#isOver || this.#isAnswering) return releaseChunks(answer);
    this.#isAnswering = true;
    const { isChunked, invalidHeader } = this.#head;
    const mustClose = isChunked || invalidHeader !== '' || this.#context.isStopping;
    const end = wanted === 'keep' && mustClose ? 'close' : wanted;
    if (end !== 'close') return this.#write(answer, end);
    setImmediate(() => this.#attempt(() => this.#write(answer, end)));
  }

  #write(answer: Answer, end: ConnectionEnd): void {
    if (this.#isOver) this.#leave();
    if (this.#isOver) return releaseChunks(answer);
    const { method, path } = this.#head;
    const isVersioned = path.startsWith(VERSIONED_PREFIX);
    const rendered = this.#context.render(answer, this.requestId, isVersioned);
    const { status } = rendered;
    // Before anything is sent: a guess that cannot be counted is answered 500.
    this.#within?.settle?.(status);
    const head = rendered.head + (this.#within?.lines ?? '') + CONNECTION_LINES[end];
    const isEmpty = method === 'HEAD' || BODYLESS.has(status);
    const form = { isEmpty, isClosing: end === 'close' };
    const chunks = answer.code === null && !isEmpty ? answer.chunks : undefined;
    if (isEmpty) releaseChunks(answer);
    if (chunks === undefined) this.#emit(head, rendered.body, form);
    else this.#startStream(head, chunks, form);
    const durationMs = performance.now() - this.startedAtMs;
    const route = this.#opened?.route.path ?? '';
    this.#context.observe({ path: route, method, status, code: answer.code, durationMs });
    this.#span?.end(status, answer.code);
    if (this.#credential !== undefined) this.#note(rendered, answer.code, durationMs);
  }

  /** Runs after the answer was given to the native side. */
  #note({ status, body }: Rendered, code: string | null, durationMs: number): void {
    const credential = this.#credential;
    if (credential === undefined) return;
    const { method, path, query, idempotencyKey } = this.#head;
    this.#context.note?.({
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

  /** The native response stays valid until the last chunk is sent. */
  #startStream(head: string, chunks: BodyChunks, { isClosing }: AnswerForm): void {
    this.#stream = new ResponseStream({
      native: this.#native,
      chunks: this.#opened ? this.#context.watch(chunks, this.#describe(this.#opened)) : chunks,
      isClosing,
      onEnd: (end, error) => this.#endStream(end, error),
    });
    const closing = isClosing ? '\r\nConnection: close' : '';
    this.#native.cork(() => writeFinalHead(this.#native, this.#head, head + closing));
    this.#stream.start();
  }

  #endStream(end: StreamEnd, error: unknown): void {
    this.#isOver = true;
    this.#leave();
    if (end !== 'cut') return;
    if (!isExpectedCut(error)) this.#logBug(error);
    this.#abandon();
  }

  #emit(head: string, body: string | Uint8Array, form: AnswerForm): void {
    this.#leave();
    this.#isOver = true;
    try {
      this.#native.cork(() => {
        writeFinalHead(this.#native, this.#head, head);
        if (form.isEmpty && !form.isClosing) this.#native.endWithoutBody();
        else this.#native.end(form.isEmpty ? '' : body, form.isClosing);
      });
    } catch (error) {
      this.#logBug(error);
      this.#abandon();
    }
  }

  /** Empty: the client disconnected before its address was read. */
  #readAddress(): string {
    if (this.#address === undefined && this.#isOver) return '';
    this.#address ??= this.#context.readAddress(
      formatAddress(this.#native.getRemoteAddress()),
      this.#head.forwardedFor,
    );
    return this.#address;
  }
}
