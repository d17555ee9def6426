// The dictionary of the area home.
import type { Language, Translation } from '@dashboard/shared/text/language.js';
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export type HomeTexts = Translation<typeof en>;

export const HOME_TEXTS: Readonly<Record<Language, HomeTexts>> = { en, id };
