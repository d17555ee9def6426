// What is used of the native request and response. What their side does besides (tried), and what exchange.ts
// does about it:
//
// - A request that arrives behind an unanswered one closes the connection; the first is aborted. So no request
//   is handled twice or answered out of order; a client that pipelines repeats what was not answered.
// - After an answer that closes, given inside a callback, it still handles what follows in the same packet. So
//   closing answers leave in a later turn; until then the request counts as unanswered, which closes.
// - It takes chunk extensions for digits and trailers for the next request, so its view of where a chunked body
//   ends can be made to differ from a proxy's. So every chunked request ends its connection.
// - A response closed inside a data callback is used again for the next chunk of the packet, after it was freed.
//   So nothing is closed there.
// - A response whose client takes nothing for 10 s is aborted, though it may take 1 MB from the kernel's buffer
//   before it is called writable again. A pause and a resume begin that time anew, so output/outflow.ts has a bound of its own.
// - A close with unread bytes resets the connection, and the answer is lost on its way. So the body of a refused
//   request is read and dropped for a while first.

/** What is used of the native request; valid only inside its callback. */
export interface NativeHead {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(take: (name: string, value: string) => void): void;
}

/** What is used of the native response. */
export interface NativeResponse {
  onAborted(handler: () => void): unknown;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  cork(work: () => void): unknown;
  writeStatus(status: string): unknown;
  end(body: string | Uint8Array, isClosing: boolean): unknown;
  /** Without arguments only: with any, this build does not count it as an answer, and ends the process. */
  endWithoutBody(): unknown;
  getRemoteAddress(): ArrayBuffer;
  close(): unknown;
  /** A part of a body whose length is not known; false: not all of it could be sent on, and it is kept for later. */
  write(part: Uint8Array): boolean;
  /** The handler is called when more can be sent on; true: it did what it could. */
  onWritable(handler: () => boolean): unknown;
  pause(): unknown;
  resume(): unknown;
}
