// Routes of a merchant's KYC.
import { showKyc, submitVerification, uploadDocument } from './handlers.js';
import * as wire from './schema.js';
import type { AccountDeps } from '../accounts/account-deps.js';
import { buildBodySpec, type Route } from '../routing/route.js';
import { buildTextBodySpec, defineMerchantRoute } from '../routing/session-route.js';

export const buildKycRoutes = (deps: AccountDeps): readonly Route[] => [
  defineMerchantRoute({
    method: 'GET',
    path: '/v1/merchants/kyc',
    summary: 'Show the verification of the merchant',
    permission: 'read_kyc',
    answers: { 200: wire.Kyc },
    handle: (request) => showKyc(deps, request),
  }),
  defineMerchantRoute({
    method: 'POST',
    path: '/v1/merchants/kyc/documents',
    summary: 'Upload a document',
    description: 'Documents are stored encrypted. Only administrators can download them.',
    permission: 'submit_kyc',
    bodyLimitBytes: wire.DOCUMENT_BODY_BYTES,
    body: buildTextBodySpec(wire.UploadRequest, ['filename']),
    answers: { 201: wire.KycDocument },
    errors: ['card_data_refused', 'state_conflict'],
    handle: (request) => uploadDocument(deps, request),
  }),
  defineMerchantRoute({
    method: 'POST',
    path: '/v1/merchants/kyc/submit',
    summary: 'Submit the merchant for verification',
    description: 'Needs a verified e-mail address. A rejected merchant can submit again.',
    permission: 'submit_kyc',
    body: buildBodySpec(wire.SubmitKycRequest),
    answers: { 201: wire.Kyc },
    errors: ['card_data_refused', 'state_conflict'],
    handle: (request) => submitVerification(deps, request),
  }),
];
