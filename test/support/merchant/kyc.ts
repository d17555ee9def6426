// What a merchant sends to be verified: the fields of a submission, and a document.
import { randomBytes } from 'node:crypto';

/** A PNG file by its first bytes. */
export const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(2_000)]);
export const KYC_FIELDS = {
  legal_name: 'PT Toko Contoh',
  business_type: 'PT',
  tax_id: '012345678901234',
  address: {
    street: 'Jl. Merdeka 1',
    city: 'Bandung',
    province: 'Jawa Barat',
    postal_code: '40111',
  },
  bank_account: { bank_code: 'BCA', account_number: '1234567890', account_holder: 'PT Toko' },
  representative: { name: 'Siti', identity_number: '3273015001900001', position: 'Direktur' },
};
