// The part of the native request and response that the gateway uses. Their pitfalls, each of which was tried, and the
// answer of exchange.ts to each:
//
// - A request that arrives behind an unanswered one closes the connection, and the first is aborted. So no request is
//   handled twice or answered out of order; a client that pipelines repeats the unanswered ones.
// - After an answer that closes, given inside a callback, the parser still handles the rest of the packet. So closing
//   answers are sent in a later turn; until then the request counts as unanswered, which closes the connection.
// - The parser takes chunk extensions for digits and trailers for the next request, so it can disagree with a proxy on
//   where a chunked body ends. So each chunked request ends its connection.
// - A response that is closed inside a data callback is used again for the next chunk of the packet, after it was freed.
//   So nothing is closed there.
// - A response whose client reads nothing for 10 s is aborted, although the client may read 1 MB from the kernel's buffer
//   before the response is called writable again. A pause and a resume restart that time, so response-stream.ts has a
//   limit of its own.
// - `Expect` is compared by bytes, and there is no call for an interim answer: interim-answer.ts.
// - A close with unread bytes resets the connection, and the answer is lost on its way. So the body of a rejected request
//   is read and dropped for a while first (request-limits.ts).

/** Valid only inside its native callback. */
export interface NativeHead {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  /** The first header of that lower-case name; empty: there is none. */
  getHeader(name: string): string;
  forEach(read: (name: string, value: string) => void): void;
}

/** Valid until it is answered or aborted. */
export interface NativeResponse {
  onAborted(handler: () => void): unknown;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  cork(work: () => void): unknown;
  /** Later status lines are dropped without a word. */
  writeStatus(status: string): unknown;
  /** Writes both texts as they are, with `: ` between them. */
  writeHeader(name: string, value: string): unknown;
  end(body: string | Uint8Array, isClosing: boolean): unknown;
  /** Without arguments only: with any, this build does not count it as an answer, and ends the process. */
  endWithoutBody(): unknown;
  getRemoteAddress(): ArrayBuffer;
  close(): unknown;
  /** Sends a part of a body of unknown length; false: the rest of the part is kept until onWritable. */
  write(part: Uint8Array): boolean;
  /** The handler is called when more can be sent; it returns true. */
  onWritable(handler: () => boolean): unknown;
  pause(): unknown;
  resume(): unknown;
}
