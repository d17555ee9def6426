// A file takes up to half an hour to send. It ends when the session or the key of its request ends, or may not read it any more:
// what is read a second after that, or later, is not sent.
import type { Admit } from '../auth/admission.js';
import type { BodyChunks } from '../routing/response.js';
import type { AdmittedRequest } from './handle-request.js';
import { RevokedError } from './response-stream.js';

/** As long as a key that was revoked may be used (auth/credentials.ts). */
const CHECK_EVERY_MS = 1_000;

/** Chunks that end with their request's admission, or as they were if their source sees to it. */
export type WatchChunks = (chunks: BodyChunks, request: AdmittedRequest) => BodyChunks;

/** `admit` counts in no rate limit. It is asked after a chunk is produced, so that it knows what happened before that. */
export const createChunkWatch =
  (admit: Admit): WatchChunks =>
  (chunks, request) => {
    if (chunks.endsWithSession === true) return chunks;
    let checkedAtMs = performance.now();
    return {
      next: async () => {
        const chunk = await chunks.next();
        if (performance.now() - checkedAtMs < CHECK_EVERY_MS) return chunk;
        const { opened, head } = request;
        const { code } = await admit(opened.route, head, () => request.address());
        if (code !== null) throw new RevokedError(code);
        checkedAtMs = performance.now();
        return chunk;
      },
      return: () => chunks.return(),
    };
  };
