// Routes of a merchant's KYC.
import { showKyc, submitVerification } from './handlers.js';
import * as wire from './schema.js';
import { UPLOAD_BODY } from './store-document.js';
import type { Uploads } from './uploads.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { Route } from '#gateway/routing/route.js';
import {
  buildTextBodySpec,
  defineMerchantRoute,
  defineUploadRoute,
} from '#gateway/routing/session-route.js';

export interface KycDeps extends AccountDeps {
  readonly uploads: Uploads;
}

export const buildKycRoutes = (deps: KycDeps): readonly Route[] => [
  defineMerchantRoute({
    method: 'GET',
    path: '/v1/merchants/kyc',
    operationId: 'getKyc',
    summary: 'Show the verification of the merchant',
    description: 'With the latest submission and all documents.',
    permission: 'read_kyc',
    answers: { 200: wire.Kyc },
    handle: (request) => showKyc(deps, request),
  }),
  defineUploadRoute({
    method: 'POST',
    path: '/v1/merchants/kyc/documents',
    operationId: 'uploadKycDocument',
    summary: 'Upload a document',
    description:
      'Documents are stored encrypted. Only administrators can download them. Send them one after the other: while ' +
      'an upload of the merchant is under way, others are answered 429. A body above 64 KiB needs a `Content-Length`.',
    permission: 'submit_kyc',
    bodyLimitBytes: wire.DOCUMENT_BODY_BYTES,
    body: UPLOAD_BODY,
    answers: { 201: wire.KycDocument },
    errors: ['card_data_refused', 'state_conflict'],
    beginBody: (request, bytes) => deps.uploads.begin(request, bytes),
    handle: (request) => deps.uploads.store(request),
  }),
  defineMerchantRoute({
    method: 'POST',
    path: '/v1/merchants/kyc/submit',
    operationId: 'submitKyc',
    summary: 'Submit the merchant for verification',
    description: 'Needs a verified e-mail address. A rejected merchant can submit again.',
    permission: 'submit_kyc',
    body: buildTextBodySpec(wire.SubmitKycRequest, wire.KYC_TEXTS),
    answers: { 201: wire.Kyc },
    errors: ['card_data_refused', 'state_conflict'],
    handle: (request) => submitVerification(deps, request),
  }),
];
