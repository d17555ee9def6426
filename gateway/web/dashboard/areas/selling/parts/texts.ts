// The dictionary of the area selling.
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export const SELLING_TEXTS = { en, id };

export type SellingTexts = (typeof SELLING_TEXTS)['id'];
