// The values of the verification form, their rules, and the steps they belong to. The API checks them again.
import { removeSeparators } from '@core/typed-identifiers.js';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import type { KycTexts } from './texts.js';

export type Kyc = MerchantSchema['Kyc'];
export type KycDocument = MerchantSchema['KycDocument'];
export type KycValues = MerchantSchema['SubmitKycRequest'];

export const BUSINESS_TYPES = ['INDIVIDUAL', 'CV', 'PT', 'FOUNDATION', 'OTHER'] as const;
export const STEPS = ['business', 'bank', 'representative', 'documents', 'review'] as const;
export type Step = (typeof STEPS)[number];

/** The fields of each step, by the names that errors of the API have. */
export const STEP_FIELDS = {
  business: [
    ...(['legal_name', 'business_type', 'tax_id', 'address.street', 'address.city'] as const),
    ...(['address.province', 'address.postal_code'] as const),
  ],
  bank: [
    ...(['bank_account.bank_code', 'bank_account.account_number'] as const),
    'bank_account.account_holder',
  ],
  representative: [
    ...(['representative.name', 'representative.identity_number'] as const),
    'representative.position',
  ],
  documents: ['document_ids'],
  review: [],
} as const satisfies Record<Step, readonly string[]>;

export type FieldName = (typeof STEP_FIELDS)[Exclude<Step, 'review'>][number];

export const FIELD_NAMES: readonly FieldName[] = STEPS.flatMap((step) => [...STEP_FIELDS[step]]);

const DIGITS_ONLY: readonly FieldName[] = [
  ...(['tax_id', 'address.postal_code', 'bank_account.account_number'] as const),
  'representative.identity_number',
];

interface Rule {
  readonly pattern: RegExp;
  readonly text: keyof KycTexts['rules'];
}

const FILLED: Rule = { pattern: /\S/, text: 'filled' };
const RULES: Readonly<Partial<Record<FieldName, Rule>>> = {
  tax_id: { pattern: /^\d{15,16}$/, text: 'taxId' },
  'address.postal_code': { pattern: /^\d{5}$/, text: 'postalCode' },
  'bank_account.bank_code': { pattern: /^[A-Z0-9_]{2,20}$/, text: 'bankCode' },
  'bank_account.account_number': { pattern: /^\d{5,20}$/, text: 'accountNumber' },
  'representative.identity_number': { pattern: /^\d{16}$/, text: 'identityNumber' },
};

const EMPTY: KycValues = {
  legal_name: '',
  business_type: 'INDIVIDUAL',
  tax_id: '',
  address: { street: '', city: '', province: '', postal_code: '' },
  bank_account: { bank_code: '', account_number: '', account_holder: '' },
  representative: { name: '', identity_number: '', position: '' },
  document_ids: [],
};

/** Of the former submission, so that a rejected merchant corrects instead of typing again. */
export function buildValues({ submission, documents }: Kyc): KycValues {
  if (submission === null) return { ...EMPTY, document_ids: documents.map(({ id }) => id) };
  const { legal_name, business_type, tax_id, address, bank_account, representative } = submission;
  const { document_ids } = submission;
  return {
    ...{ legal_name, business_type, tax_id, document_ids },
    ...{ address, bank_account, representative },
  };
}

/** A value by the name of its field; the documents as their number. */
export function readValue(values: KycValues, name: FieldName): string {
  if (name === 'document_ids') return String(values.document_ids.length);
  let found: unknown = values;
  for (const part of name.split('.')) found = (found as Record<string, unknown>)[part];
  return String(found);
}

/** The values as the API takes them. */
export function cleanValues(values: KycValues): KycValues {
  const { address, bank_account: account, representative } = values;
  return {
    ...values,
    tax_id: removeSeparators(values.tax_id),
    address: { ...address, postal_code: removeSeparators(address.postal_code) },
    bank_account: { ...account, account_number: removeSeparators(account.account_number) },
    representative: {
      ...representative,
      identity_number: removeSeparators(representative.identity_number),
    },
  };
}

/** The errors of the fields of a step, in the language of the person. */
export function findStepErrors(
  values: KycValues,
  step: Step,
  texts: KycTexts,
): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const name of STEP_FIELDS[step]) {
    const { pattern, text } = RULES[name] ?? FILLED;
    const value = readValue(values, name);
    const isRight = pattern.test(DIGITS_ONLY.includes(name) ? removeSeparators(value) : value);
    if (!isRight) errors[name] = texts.rules[text];
    if (name === 'document_ids' && value === '0') errors[name] = texts.rules.documents;
  }
  return errors;
}

/** The errors of all other steps, such as the reasons of a rejection. */
export function leaveOutStep<Message>(
  errors: Readonly<Record<string, Message>>,
  step: Step,
): Readonly<Record<string, Message>> {
  const others = Object.entries(errors).filter(([name]) => findStepOf({ [name]: '' }) !== step);
  return Object.fromEntries(others);
}

/** The first step with an error; undefined: none has. */
export function findStepOf(errors: Readonly<Record<string, unknown>>): Step | undefined {
  return STEPS.find((step) =>
    Object.keys(errors).some((name) =>
      STEP_FIELDS[step].some((field) => field === name || field.startsWith(`${name}.`)),
    ),
  );
}
