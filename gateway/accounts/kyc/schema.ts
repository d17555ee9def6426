// Request and response schemas of KYC. Source: the API contract, section 4.
import { type ObjectOptions, type Static, Type } from '@sinclair/typebox';
import { allowNull, TimeSchema } from '#actors/core/schemas/fields.js';
import { VERIFICATION_STATUSES } from '../users/schema.js';
import { closed, buildIdSchema } from '#gateway/routing/schema-parts.js';

const MAX_DOCUMENTS_IN_ONE = 20;
/** The contract's limit for this path: the file in base64 and the rest of the body. */
export const DOCUMENT_BODY_BYTES = 8 * 1024 * 1024;

const buildTextSchema = (maxLength: number, example: string) =>
  Type.String({ minLength: 1, maxLength, examples: [example] });

const ADDRESS = {
  street: buildTextSchema(200, 'Jl. Merdeka 1'),
  city: buildTextSchema(100, 'Bandung'),
  province: buildTextSchema(100, 'Jawa Barat'),
  postal_code: Type.String({
    pattern: '^[0-9]{5}$',
    typedAs: 'identifier',
    errorMessage: 'must be 5 digits',
    examples: ['40111'],
  }),
};

const BANK_ACCOUNT = {
  bank_code: Type.String({
    pattern: '^[A-Z0-9_]{2,20}$',
    errorMessage: 'must be a code such as BCA',
    examples: ['BCA'],
  }),
  account_number: Type.String({
    pattern: '^[0-9]{5,20}$',
    typedAs: 'identifier',
    description:
      'Digits. Blanks, dashes and dots among them are ignored, so that the answer has none.',
    errorMessage: 'must be 5 to 20 digits',
    examples: ['1234567890'],
  }),
  account_holder: buildTextSchema(128, 'PT Toko Contoh'),
};

const REPRESENTATIVE = {
  name: buildTextSchema(128, 'Siti Aminah'),
  identity_number: Type.String({
    pattern: '^[0-9]{16}$',
    typedAs: 'identifier',
    description: 'The NIK: 16 digits. Blanks, dashes and dots among them are ignored.',
    errorMessage: 'must be 16 digits',
    examples: ['3273015001900001'],
  }),
  position: buildTextSchema(100, 'Direktur'),
};

/** A request may hold no other fields; an answer may get more. */
const buildFields = (options: ObjectOptions) => ({
  legal_name: buildTextSchema(200, 'PT Toko Contoh'),
  business_type: Type.Union(
    [
      Type.Literal('INDIVIDUAL'),
      Type.Literal('CV'),
      Type.Literal('PT'),
      Type.Literal('FOUNDATION'),
      Type.Literal('OTHER'),
    ],
    { errorMessage: 'must be INDIVIDUAL, CV, PT, FOUNDATION or OTHER' },
  ),
  tax_id: Type.String({
    pattern: '^[0-9]{15,16}$',
    typedAs: 'identifier',
    description: 'The NPWP: 15 or 16 digits. Blanks, dashes and dots among them are ignored.',
    errorMessage: 'must be 15 or 16 digits',
    examples: ['012345678901234'],
  }),
  address: Type.Object(ADDRESS, options),
  bank_account: Type.Object(BANK_ACCOUNT, options),
  representative: Type.Object(REPRESENTATIVE, options),
  document_ids: Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: MAX_DOCUMENTS_IN_ONE,
    uniqueItems: true,
    examples: [['doc_5jz8q4m1n7v2c9k3x6w0t4h8rb']],
  }),
});
export const SubmitKycRequest = Type.Object(buildFields(closed), {
  ...closed,
  title: 'SubmitKycRequest',
});
export type SubmitKycRequest = Static<typeof SubmitKycRequest>;
/** Free texts; tax, identity and account numbers have their own patterns. */
export const KYC_TEXTS = [
  'legal_name',
  'address.street',
  'address.city',
  'address.province',
  'bank_account.bank_code',
  'bank_account.account_holder',
  'representative.name',
  'representative.position',
] as const;

export const DOCUMENT_PURPOSES = ['IDENTITY', 'TAX', 'BANK', 'DEED', 'LICENCE', 'OTHER'] as const;

export const UploadRequest = Type.Object(
  {
    purpose: Type.Union(
      [
        Type.Literal('IDENTITY'),
        Type.Literal('TAX'),
        Type.Literal('BANK'),
        Type.Literal('DEED'),
        Type.Literal('LICENCE'),
        Type.Literal('OTHER'),
      ],
      { errorMessage: `must be one of ${DOCUMENT_PURPOSES.join(', ')}` },
    ),
    filename: Type.String({ minLength: 1, maxLength: 200, examples: ['ktp.jpg'] }),
    content: Type.String({
      minLength: 1,
      typedAs: 'anything',
      description: 'A JPEG, PNG or PDF file in base64; the whole body is at most 8 MiB.',
      errorMessage: 'must be a JPEG, PNG or PDF file in base64',
      examples: ['iVBORw0KGgo='],
    }),
  },
  { ...closed, title: 'UploadKycDocumentRequest' },
);
export type UploadRequest = Static<typeof UploadRequest>;

export const KycDocument = Type.Object(
  {
    id: buildIdSchema('doc', 'The document.'),
    object: Type.Literal('document'),
    purpose: Type.String({ enum: [...DOCUMENT_PURPOSES] }),
    filename: Type.String({ examples: ['ktp.jpg'] }),
    media_type: Type.String({ enum: ['image/jpeg', 'image/png', 'application/pdf'] }),
    size: Type.Integer({ description: 'In bytes.', examples: [123_456] }),
    created_at: TimeSchema,
  },
  { title: 'KycDocument', description: 'A document for verification.' },
);

export const SUBMISSION_STATUSES = ['PENDING', 'APPROVED', 'REJECTED'] as const;

const Submission = Type.Object(
  {
    ...buildFields({}),
    id: buildIdSchema('kyc', 'The submission.'),
    status: Type.String({ enum: [...SUBMISSION_STATUSES] }),
    submitted_at: TimeSchema,
    decided_at: allowNull(TimeSchema),
    reason: allowNull(Type.String()),
    field_reasons: Type.Unsafe<Readonly<Record<string, string>>>(
      Type.Object(
        {},
        {
          additionalProperties: Type.String(),
          description: 'The reason for each field that is wrong.',
        },
      ),
    ),
  },
  { title: 'KycSubmission' },
);

export const Kyc = Type.Object(
  {
    object: Type.Literal('kyc'),
    verificationStatus: Type.String({ enum: [...VERIFICATION_STATUSES] }),
    submission: allowNull(Submission),
    documents: Type.Array(KycDocument),
  },
  { title: 'Kyc', description: 'The verification of a merchant.' },
);
