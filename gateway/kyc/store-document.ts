// Stores an uploaded document: its JSON is parsed, its file decoded, sealed and inserted. For 8 MiB that takes 100 ms and
// more, so it runs in a thread of its own (upload-thread.ts).
import { makeId, type MerchantId } from '#actors/core/ids.js';
import { sealFile } from '#ops/runtime/sealed-secrets.js';
import type { NamedKey } from '#ops/runtime/config.js';
import type { Postgres } from '#store/postgres/client.js';
import { createDocument } from '#store/postgres/merchants/kyc.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { parseJson } from '../routing/json.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import { buildTextBodySpec } from '../routing/session-route.js';
import { findMediaType } from './media-type.js';
import { UploadRequest } from './schema.js';
import { viewDocument } from './view.js';

export interface StoreDeps {
  readonly sql: Postgres;
  readonly secretsKeys: readonly NamedKey[];
}

/** An admitted upload with its whole body. */
export interface UploadJob {
  readonly merchantId: MerchantId;
  readonly requestId: string;
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
  const id = makeId('doc', generateIdBytes());
  const content = sealFile(deps.secretsKeys, id, file);
  const fields = { purpose, filename, mediaType, size: file.length, content };
  const [row] = await createDocument(deps.sql, { id, merchantId, requestId, ...fields });
  return row === undefined ? TOO_SLOW : reply(201, JSON.stringify(viewDocument(row)));
}
