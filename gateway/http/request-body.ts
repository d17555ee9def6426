// The body of a request, as its chunks arrive.
//
//   READING ──pause──▶ PAUSED ──resume──▶ READING        READING ──last chunk──▶ complete
//
// A paused connection is not read: what was read with the head still arrives (at most 512 KiB), the rest stays with the
// client.
import { hasBody, type Head } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import type { BodyPermit, Route } from '../routing/route.js';
import type { NativeResponse } from './native.js';
import { BODY_LIMIT_BYTES, LARGE_BODY_DEADLINE_MS } from './request-limits.js';

export class RequestBody {
  readonly #native: NativeResponse;
  readonly #head: Head;
  #isComplete: boolean;
  #isPaused = false;
  #size = 0;
  #chunks: ArrayBuffer[] = [];
  #permit: BodyPermit | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(native: NativeResponse, head: Head) {
    this.#native = native;
    this.#head = head;
    this.#isComplete = !hasBody(head);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The bytes that arrived, also those that were dropped. */
  get size(): number {
    return this.#size;
  }

  get chunks(): readonly ArrayBuffer[] {
    return this.#chunks;
  }

  count(chunk: ArrayBuffer, isLast: boolean): void {
    this.#size += chunk.byteLength;
    this.#isComplete = isLast;
  }

  /** Copies the chunk, because its bytes belong to the native side. */
  keep(chunk: ArrayBuffer): void {
    this.#chunks.push(chunk.slice(0));
  }

  /** The whole body. A single chunk is not copied, except on a route whose handler keeps it for longer. */
  end(chunk: ArrayBuffer): readonly ArrayBuffer[] {
    clearTimeout(this.#timer);
    if (this.#chunks.length === 0 && this.#permit === undefined) return [chunk];
    this.keep(chunk);
    return this.#chunks;
  }

  /** A chunked body announces no length, so no room can be reserved for a large one. */
  findSizeError(route: Route | undefined): ApiError | undefined {
    const { isChunked, contentLength } = this.#head;
    const limit = isChunked ? BODY_LIMIT_BYTES : (route?.bodyLimitBytes ?? BODY_LIMIT_BYTES);
    if (Math.max(contentLength, this.#size) <= limit) return undefined;
    const condition = isChunked ? ' without a Content-Length' : '';
    const message = `The body must be at most ${limit} bytes${condition}.`;
    return buildApiError('body_too_large', { message });
  }

  /** Reads a large body. `onLate` is called when it does not arrive in time. */
  grant(permit: BodyPermit, onLate: () => void): void {
    this.#permit = permit;
    if (!this.#isComplete) this.#timer = setTimeout(onLate, LARGE_BODY_DEADLINE_MS);
    this.resume();
  }

  /** Gives back the room of a large body. */
  release(): void {
    clearTimeout(this.#timer);
    this.#permit?.release();
    this.#permit = undefined;
  }

  /** Forgets the chunks, and reads on. */
  drop(): void {
    this.#chunks = [];
    this.resume();
  }

  pause(): void {
    this.#isPaused = true;
    this.#native.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#native.resume();
  }
}
