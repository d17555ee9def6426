// The demo merchant's KYC, submitted once, so that the demo administrator has a submission to decide on. A later start
// never submits again.
import { randomBytes } from 'node:crypto';
import { PNG } from 'pngjs';
import { makeId } from '#actors/core/ids.js';
import type { SubmitKycRequest } from '#gateway/accounts/kyc/schema.js';
import { storeParts } from '#gateway/accounts/kyc/store-document.js';
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

/** Of the word CONTOH, "example": five pixels in each of seven rows. */
const LETTERS = [
  ['01110', '10001', '10000', '10000', '10000', '10001', '01110'],
  ['01110', '10001', '10001', '10001', '10001', '10001', '01110'],
  ['10001', '11001', '10101', '10101', '10011', '10001', '10001'],
  ['11111', '00100', '00100', '00100', '00100', '00100', '00100'],
  ['01110', '10001', '10001', '10001', '10001', '10001', '01110'],
  ['10001', '10001', '10001', '11111', '10001', '10001', '10001'],
];
const PAGE = { width: 420, height: 594, margin: 42 };
const LETTER = { pixel: 9, width: 56, top: 72 };
const LINE = { first: 190, last: 520, distance: 22, height: 6 };
const [PAPER, INK, GREY] = [0xff, 0x26, 0xb8];

/** A page as a deed looks from afar: the word CONTOH above lines of grey, since no real document may be in a demo. */
export function drawDocument(): Buffer {
  const { width, height, margin } = PAGE;
  const shades = Buffer.alloc(width * height, PAPER);
  drawWord(shades);
  for (let top = LINE.first; top < LINE.last; top += LINE.distance) {
    fill(shades, GREY, { left: margin, top, width: width - 2 * margin, height: LINE.height });
  }
  const grey = { colorType: 0, inputColorType: 0, inputHasAlpha: false } as const;
  return PNG.sync.write(Object.assign(new PNG({ width, height }), { data: shades }), grey);
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

function fill(shades: Buffer, shade: number, { left, top, width, height }: Box): void {
  for (let row = top; row < top + height; row += 1) {
    const begin = row * PAGE.width + left;
    shades.fill(shade, begin, begin + width);
  }
}

function drawWord(shades: Buffer): void {
  const { pixel, width, top } = LETTER;
  const size = { width: pixel, height: pixel };
  for (const [place, rows] of LETTERS.entries()) {
    for (const [row, bits] of rows.entries()) {
      for (const { index } of bits.matchAll(/1/g)) {
        const left = PAGE.margin + place * width + index * pixel;
        fill(shades, INK, { left, top: top + row * pixel, ...size });
      }
    }
  }
}

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
    const content = drawDocument();
    const documentId = makeId('doc', randomBytes(16));
    const upload = { merchantId, requestId: documentId };
    if ((await beginUpload(sql, upload, content.length)) !== 'done') return;
    const document = { ...upload, id: documentId };
    await storeParts({ sql, secretsKeys: keys }, document, content);
    await createDocument(sql, {
      ...{ ...document, purpose: 'DEED', filename: 'akta-contoh.png' },
      ...{ mediaType: 'image/png', size: content.length },
    });
    const id = makeId('kyc', randomBytes(16));
    const sealedFields = sealSecret(keys, id, JSON.stringify(DEMO_KYC));
    const actor = { userId: owner.userId, address: '127.0.0.1' };
    await submitKyc(sql, actor, { id, merchantId, sealedFields, documentIds: [documentId] });
  } finally {
    await sql.end({ timeout: 1 });
  }
}
