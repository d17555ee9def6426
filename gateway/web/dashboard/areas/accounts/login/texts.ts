// The dictionary of the views without a session.
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export const OPEN_TEXTS = { en, id };
export type OpenTexts = typeof en | typeof id;
