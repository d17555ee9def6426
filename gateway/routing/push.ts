// What the server needs to know of a path on which it pushes texts to browsers over a WebSocket. What browsers
// send there is dropped.

import type { LimitKind } from './route.js';

export interface PushClient {
  /** After the connection is gone this does nothing. */
  send(text: string): void;
}

export interface PushRoute {
  /** One `:name` in it stands for a segment: `/checkout/:payment_id/live`. */
  readonly path: string;
  /** What opening a connection is counted by, once; absent: nothing. */
  readonly limit?: LimitKind;
  /** Whether there can be something to push, and room for one more; false: 404, and browsers poll. */
  accepts(segment: string): boolean;
  /** A connection is open; answers what to do when it has closed. */
  open(segment: string, client: PushClient): () => void;
}
