// A body that is sent while it is made. It goes on in slices: while the native side can send them on, and from
// onWritable on when it could not. So of a slow client there is one piece here and one slice in native memory.
//
//   next piece ──▶ slices ──write──▶ sent on: next slice
//                                └─▶ kept: wait for onWritable, at most STALL_MS
//   no more pieces ──▶ end          a piece that fails, a client that takes nothing ──▶ cut
//
// A cut closes the connection without the last chunk: no client takes what it has for the whole.
import type { BodyChunks } from '../routing/response.js';
import type { NativeResponse } from './native.js';

const SLICE_BYTES = 64 * 1024;
const STALL_MS = 60_000;
/** Below the native 10 s. */
const EXTEND_EVERY_MS = 4_000;

export type StreamEnd = 'complete' | 'cut' | 'gone';

export class StalledError extends Error {}

export interface ResponseStreamDeps {
  readonly native: NativeResponse;
  readonly pieces: BodyChunks;
  readonly isClosing: boolean;
  /** Called once. From then on the native response is not touched here. */
  over(ending: StreamEnd, error: unknown): void;
}

export class ResponseStream {
  readonly #parts: ResponseStreamDeps;
  #isOver = false;
  #goOn: (() => void) | undefined;
  #stalledAtMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ResponseStreamDeps) {
    this.#parts = parts;
  }

  /** After the head was written, with onAborted attached before the native callback returns. */
  start(): void {
    this.#parts.native.onWritable(() => {
      this.#resume();
      return true;
    });
    void this.#run();
  }

  /** The client has gone: the native response is no more. */
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
    const { native, pieces, isClosing } = this.#parts;
    while (!this.#isOver) {
      const piece = await pieces.next();
      if (this.#isOver) return;
      if (piece.done === true) {
        native.cork(() => native.end('', isClosing));
        return this.#end('complete', undefined);
      }
      await this.#send(Buffer.from(piece.value));
    }
  }

  async #send(piece: Buffer): Promise<void> {
    for (let from = 0; from < piece.length && !this.#isOver; from += SLICE_BYTES) {
      const slice = piece.subarray(from, from + SLICE_BYTES);
      let isSentOn = true;
      this.#parts.native.cork(() => {
        isSentOn = this.#parts.native.write(slice);
      });
      if (!isSentOn) await this.#becomeWritable();
    }
  }

  #becomeWritable(): Promise<void> {
    this.#stalledAtMs = performance.now() + STALL_MS;
    this.#timer = setInterval(() => this.#extend(), EXTEND_EVERY_MS);
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  #extend(): void {
    if (performance.now() > this.#stalledAtMs) {
      return this.#end('cut', new StalledError('a client takes nothing'));
    }
    this.#parts.native.pause();
    this.#parts.native.resume();
  }

  #resume(): void {
    clearInterval(this.#timer);
    this.#goOn?.();
    this.#goOn = undefined;
  }

  #end(ending: StreamEnd, error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resume();
    if (ending !== 'complete') this.#parts.pieces.return().catch(() => undefined);
    this.#parts.over(ending, error);
  }
}
