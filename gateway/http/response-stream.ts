// Sends a body while it is produced, in slices: the next slice follows when the native side has sent the one before. So a
// slow client holds one chunk here and one slice in native memory.
//
//   SENDING ──write was complete──▶ SENDING         the next slice or chunk
//      │ write was partial
//      ▼
//   WAITING ──onWritable──▶ SENDING                 WAITING ──too slow (reading-pace.ts)──▶ CUT
//   any state ──MAX_STREAM_MS──▶ CUT
//
//   SENDING ──no more chunks──▶ COMPLETE            SENDING ──the source throws──▶ CUT
//
// A cut closes the connection without the last chunk, so no client takes the part for the whole.
import type { Answer, BodyChunks } from '../routing/response.js';
import type { NativeResponse } from './native.js';
import { ReadingPace } from './reading-pace.js';

const SLICE_BYTES = 64 * 1024;
/** 100,000 rows take a minute on a busy machine. A client that needs longer than this holds a place that others need. */
const MAX_STREAM_MS = 30 * 60_000;
/** Less than the 10 s after which the native side aborts a response that is not written to. */
const EXTEND_EVERY_MS = 4_000;

export type StreamEnd = 'complete' | 'cut' | 'gone';

/** The client reads too slowly. */
export class StalledError extends Error {}

/** The session or the key of the request has ended. */
export class RevokedError extends Error {}

/** No fault of the gateway. */
export const isExpectedCut = (error: unknown): boolean =>
  error instanceof StalledError || error instanceof RevokedError;

/** Ends the source of an answer that cannot be sent. */
export function releaseChunks(answer: Answer): void {
  if (answer.code === null) answer.chunks?.return().catch(() => undefined);
}

export interface ResponseStreamDeps {
  readonly native: NativeResponse;
  readonly chunks: BodyChunks;
  readonly isClosing: boolean;
  /** Called once; afterwards the stream does not use the native response. */
  onEnd(end: StreamEnd, error: unknown): void;
}

export class ResponseStream {
  readonly #deps: ResponseStreamDeps;
  #isOver = false;
  #wake: (() => void) | undefined;
  readonly #pace = new ReadingPace();
  readonly #endsAtMs = performance.now() + MAX_STREAM_MS;
  #waitsSinceMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ResponseStreamDeps) {
    this.#deps = deps;
  }

  /** Call it after the head is written; onAborted must be attached before the native callback returns. */
  start(): void {
    this.#deps.native.onWritable(() => {
      this.#resume();
      return true;
    });
    void this.#run();
  }

  /** The client has disconnected, so the native response is invalid. */
  abandon(): void {
    this.#end('gone', undefined);
  }

  async #run(): Promise<void> {
    try {
      await this.#sendAll();
    } catch (error) {
      this.#end('cut', error);
    }
  }

  async #sendAll(): Promise<void> {
    const { native, chunks, isClosing } = this.#deps;
    while (!this.#isOver) {
      const chunk = await chunks.next();
      if (this.#isOver) return;
      if (chunk.done === true) {
        native.cork(() => native.end('', isClosing));
        return this.#end('complete', undefined);
      }
      const { value } = chunk;
      await this.#send(typeof value === 'string' ? Buffer.from(value) : value);
    }
  }

  async #send(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.length && !this.#isOver; from += SLICE_BYTES) {
      const slice = chunk.subarray(from, from + SLICE_BYTES);
      let isSent = true;
      this.#deps.native.cork(() => {
        isSent = this.#deps.native.write(slice);
      });
      this.#pace.addBytes(slice.length);
      if (!isSent) await this.#waitUntilWritable();
    }
  }

  #waitUntilWritable(): Promise<void> {
    this.#waitsSinceMs = performance.now();
    this.#timer = setInterval(() => this.#extend(), EXTEND_EVERY_MS);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #extend(): void {
    const nowMs = performance.now();
    const isTooSlow = nowMs - this.#waitsSinceMs > this.#pace.leftMs || nowMs > this.#endsAtMs;
    if (isTooSlow) return this.#end('cut', new StalledError('the client reads too slowly'));
    this.#deps.native.pause();
    this.#deps.native.resume();
  }

  #resume(): void {
    clearInterval(this.#timer);
    if (this.#wake === undefined) return;
    this.#pace.addWait(performance.now() - this.#waitsSinceMs);
    this.#wake();
    this.#wake = undefined;
  }

  #end(end: StreamEnd, error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resume();
    if (end !== 'complete') this.#deps.chunks.return().catch(() => undefined);
    this.#deps.onEnd(end, error);
  }
}
