// A page of API logs: the bytes of one entry of their stream. A record ends with U+001E, and U+001F separates its
// fields; no field contains either. Records are written straight into the page's bytes, which costs the gateway 2 µs a
// record; concatenating strings and encoding them afterwards cost 20 µs.

/** A page is full beyond this size. The rest of its room fits any record. */
const FULL_BYTES = 128 * 1024;
const ROOM_BYTES = 256 * 1024;
/** UTF-16 units of a body; each takes 3 bytes at most. */
export const MAX_BODY = 16 * 1024;
/** UTF-16 units of all other fields together; a request line and its headers are shorter. */
const MAX_HEAD = 8 * 1024;
const BYTES_PER_UNIT = 3;
const FIELD_SEPARATOR = '\u001f';
const RECORD_END = '\u001e';

if (FULL_BYTES + (2 * MAX_BODY + MAX_HEAD) * BYTES_PER_UNIT > ROOM_BYTES) {
  throw new Error('ROOM_BYTES must hold a full page and one more record');
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
  /** JSON, or text without separators (`removeSeparators`); so is `responseBody`. */
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

  /** A view of the page's buffer: `add` and `clear` change it. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Returns false when the record exceeds its limits or the page is full. */
  add(record: ApiLogRecord): boolean {
    const head = formatHead(record);
    const { requestBody, responseBody } = record;
    const isValid =
      head.length <= MAX_HEAD && requestBody.length <= MAX_BODY && responseBody.length <= MAX_BODY;
    if (!isValid || this.isFull) return false;
    this.#write(head);
    this.#write(requestBody);
    this.#write(FIELD_SEPARATOR);
    this.#write(responseBody);
    this.#write(RECORD_END);
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
  const S = FIELD_SEPARATOR;
  const caller = `${atMs}${S}${requestId}${S}${merchantId}${S}${environment}${S}${keyId}${S}`;
  const request = `${method}${S}${removeSeparators(record.path)}${S}${removeSeparators(record.query)}${S}`;
  return `${caller}${request}${status}${S}${code}${S}${record.durationMs}${S}${record.idempotencyKey}${S}`;
}

export const removeSeparators = (text: string): string =>
  text.replaceAll(FIELD_SEPARATOR, ' ').replaceAll(RECORD_END, ' ');

export const readPage = (page: string): ApiLogRecord[] =>
  page.split(RECORD_END).slice(0, -1).map(readRecord);

function readRecord(line: string): ApiLogRecord {
  const fields = line.split(FIELD_SEPARATOR);
  const [atMs, requestId = '', merchantId = '', environment = '', keyId = '', method = ''] = fields;
  return {
    atMs: Number(atMs ?? ''),
    requestId,
    merchantId,
    environment,
    keyId,
    method,
    path: fields[6] ?? '',
    query: fields[7] ?? '',
    status: Number(fields[8] ?? ''),
    code: fields[9] ?? '',
    durationMs: Number(fields[10] ?? ''),
    idempotencyKey: fields[11] ?? '',
    requestBody: fields[12] ?? '',
    responseBody: fields[13] ?? '',
  };
}
