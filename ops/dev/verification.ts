// The demo merchant's KYC, submitted once, so that the demo administrator has a submission to decide on. A later start
// never submits again.
import { randomBytes } from 'node:crypto';
import { makeId } from '#actors/core/ids.js';
import type { SubmitKycRequest } from '#gateway/kyc/schema.js';
import { storeParts } from '#gateway/kyc/store-document.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  beginUpload,
  createDocument,
  findSubmission,
  submitKyc,
} from '#store/postgres/merchants/kyc.js';
import type { NamedKey } from '../runtime/config.js';
import { sealSecret } from '../runtime/sealed-secrets.js';
import type { DemoSecrets } from './launch/secrets.js';

/** A PNG of one grey pixel. */
const DOCUMENT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2HNDlQAAAABJRU5ErkJggg==',
  'base64',
);
/** The data of the demo merchant. */
export const DEMO_KYC: Omit<SubmitKycRequest, 'document_ids'> = {
  legal_name: 'PT Toko Contoh',
  business_type: 'PT',
  tax_id: '012345678901234',
  address: {
    street: 'Jl. Merdeka 1',
    city: 'Bandung',
    province: 'Jawa Barat',
    postal_code: '40111',
  },
  bank_account: {
    bank_code: 'BCA',
    account_number: '1234567890',
    account_holder: 'PT Toko Contoh',
  },
  representative: {
    name: 'Siti Aminah',
    identity_number: '3273015001900001',
    position: 'Direktur',
  },
};

export async function seedVerification(
  databaseUrl: string,
  { merchantId, owner }: DemoSecrets,
  keys: readonly NamedKey[],
): Promise<void> {
  const sql = openPostgres(databaseUrl, 'start', 1);
  try {
    if ((await findSubmission(sql, merchantId)).length > 0) return;
    const documentId = makeId('doc', randomBytes(16));
    const upload = { merchantId, requestId: documentId };
    if ((await beginUpload(sql, upload, DOCUMENT.length)) !== 'done') return;
    const document = { ...upload, id: documentId };
    await storeParts({ sql, secretsKeys: keys }, document, DOCUMENT);
    await createDocument(sql, {
      ...{ ...document, purpose: 'DEED', filename: 'akta-contoh.png' },
      ...{ mediaType: 'image/png', size: DOCUMENT.length },
    });
    const id = makeId('kyc', randomBytes(16));
    const sealedFields = sealSecret(keys, id, JSON.stringify(DEMO_KYC));
    const actor = { userId: owner.userId, address: '127.0.0.1' };
    await submitKyc(sql, actor, { id, merchantId, sealedFields, documentIds: [documentId] });
  } finally {
    await sql.end({ timeout: 1 });
  }
}
