// Uploads of documents. A body may have 8 MiB, so that it is read only after everything that its head tells was checked,
// and room was reserved:
//
//   CHECKED ──one per merchant, over all gateways──▶ RESERVED ──body complete──▶ STORING (upload-thread.ts) ──▶ ENDED
//      │ too many documents or bytes, another upload             │ client gone, body late
//      ▼                                                         ▼
//   REJECTED                                                   ENDED
//
// A reservation whose gateway died expires.
import {
  type BackgroundThread,
  openBackgroundThread,
  type ThreadSettings,
} from '#ops/runtime/threads/background-thread.js';
import { Shares } from '#ops/runtime/shares.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  beginUpload,
  endUpload,
  MAX_DOCUMENTS,
  MAX_DOCUMENTS_MIB,
  type UploadKey,
  type UploadStart,
} from '#store/postgres/merchants/kyc.js';
import { UNVERIFIED, type MerchantRequest } from '#gateway/routing/session-route.js';
import { type Answer, type ApiError, buildApiError } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { BodyPermit } from '#gateway/routing/route.js';
import type { UploadJob } from './store-document.js';
import type { UploadResult, UploadStores } from './upload-thread.js';

/** Bodies that one gateway receives or stores at the same time: at most 64 MiB. */
const MAX_AT_ONCE = 8;
const RETRY_AFTER_S = 2;
/** A document of 8 MiB takes 2 s, most of it pauses. */
const LATE_MS = 6_000;
/** base64 writes 3 bytes as 4. */
const FILE_PART = 0.75;

const ERRORS = {
  busy: buildApiError('rate_limited', {
    message: 'Another upload of this merchant is under way. Send documents one after the other.',
    retryAfterSeconds: RETRY_AFTER_S,
  }),
  documents: buildApiError('state_conflict', {
    message: `The merchant already has ${MAX_DOCUMENTS} documents, the most that are allowed.`,
  }),
  bytes: buildApiError('state_conflict', {
    message: `With this document the merchant would have more than ${MAX_DOCUMENTS_MIB} MiB, the most that is allowed.`,
  }),
} as const satisfies Record<Exclude<UploadStart, 'done'>, ApiError>;
const OVERLOADED = buildApiError('overloaded', { retryAfterSeconds: RETRY_AFTER_S });

export interface UploadDeps {
  readonly sql: Postgres;
  readonly thread: BackgroundThread<UploadJob, UploadResult>;
  readonly onError: (error: unknown) => void;
}

export const openUploadThread = (
  data: UploadStores,
  settings: ThreadSettings,
): BackgroundThread<UploadJob, UploadResult> =>
  openBackgroundThread({
    module: import.meta.resolve('./upload-thread.js'),
    name: 'openUploadStore',
    data,
    isRepeatable: false,
    lateMs: LATE_MS,
    settings,
  });

export class Uploads {
  readonly #deps: UploadDeps;
  readonly #shares = new Shares({ total: MAX_AT_ONCE, perHolder: 1 });
  /** Request ids of the reservations that are not ended yet. */
  readonly #reserved = new Set<string>();

  constructor(deps: UploadDeps) {
    this.#deps = deps;
  }

  /** Runs before the body is read. */
  async begin(request: MerchantRequest, bytes: number): Promise<BodyPermit | ApiError> {
    if (!request.session.isVerified) return UNVERIFIED;
    const key = buildKey(request);
    const release = this.#shares.take(key.merchantId);
    if (release === 'holder') return ERRORS.busy;
    if (release === 'all') return OVERLOADED;
    try {
      const start = await beginUpload(this.#deps.sql, key, Math.floor(bytes * FILE_PART));
      if (start !== 'done') {
        release();
        return ERRORS[start];
      }
      this.#reserved.add(key.requestId);
      return {
        code: null,
        release: () => {
          release();
          void this.#endReservation(key);
        },
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Returns 201. The reservation ends before the answer, so that a client that has it may send the next document at once. */
  async store(request: MerchantRequest<NoParams, readonly ArrayBuffer[]>): Promise<Answer> {
    const { thread, onError } = this.#deps;
    const chunks = request.body;
    const key = buildKey(request);
    const { answer, cause } = await thread.run({ ...key, chunks }, chunks);
    if (cause !== undefined) onError(new Error(cause));
    await this.#endReservation(key);
    return answer;
  }

  async #endReservation(key: UploadKey): Promise<void> {
    if (!this.#reserved.delete(key.requestId)) return;
    await endUpload(this.#deps.sql, key).catch(this.#deps.onError);
  }
}

function buildKey({
  session,
  requestId,
}: Pick<MerchantRequest, 'session' | 'requestId'>): UploadKey {
  return { merchantId: session.merchantId, requestId };
}
