// The dictionary of the area developers.
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export const DEVELOPERS_TEXTS = { en, id };

export type DevelopersTexts = (typeof DEVELOPERS_TEXTS)['id'];
