// The dictionary of the shared parts.
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export const SHARED_TEXTS = { en, id };
