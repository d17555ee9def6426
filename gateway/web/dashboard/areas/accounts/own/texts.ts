// The dictionary of the person's own account.
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export const OWN_TEXTS = { en, id };
