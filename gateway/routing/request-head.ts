// The head of a request as the transport copies it. Absent headers are empty strings.

export interface Head {
  method: string;
  path: string;
  query: string;
  /** Bytes announced; 0 for chunked bodies, which announce none. */
  contentLength: number;
  isChunked: boolean;
  contentType: string;
  authorization: string;
  apiKey: string;
  idempotencyKey: string;
  hasIdempotencyKey: boolean;
  version: string;
  forwardedFor: string;
  accept: string;
  acceptLanguage: string;
  acceptEncoding: string;
  ifNoneMatch: string;
  /** What other machines sign their bodies with, by lower-case name. */
  signing: Readonly<Record<string, string>>;
  /** The header that makes the request unsafe or unclear; empty when all is well. */
  fault: string;
}
