// The dictionary of the verification.
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export const KYC_TEXTS = { en, id };
export type KycTexts = typeof en | typeof id;
