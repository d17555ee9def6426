// The limits of a request: its head, its body, its time. Rate limits are in gateway/limits/.
//
// The native parser limits the head first: MAX_HEAD_BYTES and 98 header lines (431, then it closes), 10 to 14 s for a head
// and for a body of less than 160 KB, 8 to 12 s for an idle connection (closed without an answer). The head's size alone
// can be set; the others are compiled in.

/**
 * The request line and the headers; a longer head is answered 431. UWS_HTTP_MAX_HEADERS_SIZE replaces it. The library's 4 KiB are
 * too few for a page under the domain of a shop, whose cookies a customer's browser sends along.
 */
export const MAX_HEAD_BYTES = 16 * 1024;

/** The body of a route without its own `bodyLimitBytes`; a longer one is answered 413. */
export const BODY_LIMIT_BYTES = 64 * 1024;
/** Digits of Content-Length; a longer number is answered 400. */
export const MAX_CONTENT_LENGTH_DIGITS = 15;

/** A slow client must not keep the room for a large body. 8 MiB arrive in time at 2.3 Mbit/s. */
export const LARGE_BODY_DEADLINE_MS = 30_000;

/**
 * The rest of a rejected body is read and dropped up to this size and time, because closing a connection with unread
 * bytes loses the answer on its way. A longer body is answered while it still arrives. Caddy then closes the connection of its
 * client, and 5 of 80 clients with a body of 8 MiB and a byte lost the answer on a busy machine: so the size is twice that of the
 * largest body that a route takes.
 */
export const DROP_LIMIT_BYTES = 16 * 1024 * 1024;
export const DROP_DEADLINE_MS = 2_000;

/**
 * Announced to clients, so that none sends a request on a connection that is about to close: 1 s less than the earliest
 * close of an idle one (8.0 s measured).
 */
export const KEEP_ALIVE_S = 7;

/** A handler that has not answered by then has a bug: a LIVE create waits at most 55 s. */
export const ANSWER_DEADLINE_MS = 70_000;

/** A message that a browser sends on a WebSocket; a longer one closes the connection. */
export const MAX_PUSH_MESSAGE_BYTES = 256;
/** Unsent bytes of a WebSocket; beyond, it is closed, and the browser polls or connects again. */
export const MAX_PUSH_BACKLOG_BYTES = 16 * 1024;
