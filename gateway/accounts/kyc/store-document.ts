// Stores an uploaded document: its JSON is parsed, its file decoded, sealed and inserted in parts. For 8 MiB the first three
// take 100 ms and more, so it runs in a thread of its own (upload-thread.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { type DocumentId, makeId } from '#actors/core/ids.js';
import { sealFile } from '#ops/runtime/sealed-secrets.js';
import type { NamedKey } from '#ops/runtime/config.js';
import type { Postgres } from '#store/postgres/client.js';
import { createDocument, createPart, type UploadKey } from '#store/postgres/merchants/kyc.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { parseJson } from '#gateway/routing/json.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import { buildTextBodySpec } from '#gateway/routing/session-route.js';
import { findMediaType } from './media-type.js';
import { UploadRequest } from './schema.js';
import { viewDocument } from './view.js';

/** Every commit of a payment behind a part waits until it is on the disk. */
const PART_BYTES = 128 * 1024;
/** Between two parts: 8 MiB take 2 s. */
const PAUSE_MS = 25;
/** Digits of a part's number, so that the ids of parts are in their order. */
const PART_DIGITS = 4;

export interface StoreDeps {
  readonly sql: Postgres;
  readonly secretsKeys: readonly NamedKey[];
}

/** An admitted upload with its whole body. */
export interface UploadJob extends UploadKey {
  readonly chunks: readonly ArrayBuffer[];
}

export const UPLOAD_BODY = buildTextBodySpec(UploadRequest, ['filename']);

const NO_BODY = buildApiError('body_invalid', { message: 'A JSON body is required.' });
const NO_FILE = buildApiError('field_invalid', {
  message: 'content must be a JPEG, PNG or PDF file in base64.',
  param: 'content',
});
const TOO_SLOW = buildApiError('state_conflict', {
  message: 'The upload took too long and was not stored. Send the document again.',
});

/** Returns 201; the media type is detected from the content. */
export async function storeDocument(deps: StoreDeps, job: UploadJob): Promise<Answer> {
  const bytes = Buffer.concat(job.chunks.map((chunk) => Buffer.from(chunk)));
  if (bytes.length === 0) return NO_BODY;
  const parsed = parseJson(bytes);
  if ('code' in parsed) return parsed;
  const checked = UPLOAD_BODY.check(parsed.value);
  if ('code' in checked) return checked;
  const { purpose, filename, content: text } = checked.value;
  const file = Buffer.from(text, 'base64');
  if (file.toString('base64') !== text) return NO_FILE;
  const mediaType = findMediaType(file);
  if (mediaType === undefined) return NO_FILE;
  const { merchantId, requestId } = job;
  const upload = { merchantId, requestId, id: makeId('doc', generateIdBytes()) };
  if (!(await storeParts(deps, upload, file))) return TOO_SLOW;
  const fields = { purpose, filename, mediaType, size: file.length };
  const [row] = await createDocument(deps.sql, { ...upload, ...fields });
  return row === undefined ? TOO_SLOW : reply(201, JSON.stringify(viewDocument(row)));
}

/** False if the reservation of the upload expired meanwhile. */
export async function storeParts(
  { sql, secretsKeys }: StoreDeps,
  upload: UploadKey & { readonly id: DocumentId },
  file: Buffer,
): Promise<boolean> {
  for (let start = 0; start < file.length; start += PART_BYTES) {
    if (start > 0) await sleep(PAUSE_MS);
    const id = `${upload.id}.${String(start / PART_BYTES).padStart(PART_DIGITS, '0')}`;
    const content = sealFile(secretsKeys, id, file.subarray(start, start + PART_BYTES));
    if (!(await createPart(sql, upload, { id, content }))) return false;
  }
  return true;
}
