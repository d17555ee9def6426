// A page of API logs: the bytes of an entry of their stream. Records end with U+001E, their fields are parted by
// U+001F, neither of which is in a field. What is noted goes right into the page's bytes: joined as texts, which have
// to be made flat and are then written, a record cost the gateway 20 µs; so it costs 2.

/** A page is full behind this; whatever a record is, it has room then. */
const FULL_BYTES = 128 * 1024;
const ROOM_BYTES = 256 * 1024;
/** Of a body, in UTF-16 units; each is at most 3 bytes. */
export const MAX_BODY = 16 * 1024;
/** Of all other fields together: what a request line and its headers can hold is less. */
const MAX_HEAD = 8 * 1024;
const BYTES_A_UNIT = 3;
const PART = '\u001f';
const END = '\u001e';

if (FULL_BYTES + (2 * MAX_BODY + MAX_HEAD) * BYTES_A_UNIT > ROOM_BYTES) {
  throw new Error('a record may not fit into its page');
}

export interface ApiLogRecord {
  readonly atMs: number;
  readonly requestId: string;
  readonly merchantId: string;
  readonly environment: string;
  readonly keyId: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly code: string;
  readonly durationMs: number;
  readonly idempotencyKey: string;
  /** Here and below: JSON, or what withoutMarks left. */
  readonly requestBody: string;
  readonly responseBody: string;
}

export class RecordPage {
  readonly #bytes = Buffer.allocUnsafe(ROOM_BYTES);
  #length = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#length > FULL_BYTES;
  }

  /** Of this page: they change with it. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** False: it is larger than any record may be. The page must not be full. */
  add(record: ApiLogRecord): boolean {
    const head = formatHead(record);
    const { requestBody, responseBody } = record;
    const isSound =
      head.length <= MAX_HEAD && requestBody.length <= MAX_BODY && responseBody.length <= MAX_BODY;
    if (!isSound || this.isFull) return false;
    this.#write(head);
    this.#write(requestBody);
    this.#write(PART);
    this.#write(responseBody);
    this.#write(END);
    this.#count += 1;
    return true;
  }

  clear(): void {
    this.#length = 0;
    this.#count = 0;
  }

  #write(text: string): void {
    this.#length += this.#bytes.write(text, this.#length);
  }
}

function formatHead(record: ApiLogRecord): string {
  const { atMs, requestId, merchantId, environment, keyId, method, status, code } = record;
  const of = `${atMs}${PART}${requestId}${PART}${merchantId}${PART}${environment}${PART}${keyId}${PART}`;
  const asked = `${method}${PART}${removeMarks(record.path)}${PART}${removeMarks(record.query)}${PART}`;
  return `${of}${asked}${status}${PART}${code}${PART}${record.durationMs}${PART}${record.idempotencyKey}${PART}`;
}

/** A text without what parts records and fields. */
export const removeMarks = (text: string): string =>
  text.replaceAll(PART, ' ').replaceAll(END, ' ');

/** The records of a page. */
export const readPage = (page: string): ApiLogRecord[] =>
  page.split(END).slice(0, -1).map(readRecord);

function readRecord(line: string): ApiLogRecord {
  const parts = line.split(PART);
  const text = (index: number): string => parts[index] ?? '';
  return {
    ...{ atMs: Number(text(0)), requestId: text(1), merchantId: text(2), environment: text(3) },
    ...{ keyId: text(4), method: text(5), path: text(6), query: text(7) },
    ...{ status: Number(text(8)), code: text(9), durationMs: Number(text(10)) },
    ...{ idempotencyKey: text(11), requestBody: text(12), responseBody: text(13) },
  };
}
