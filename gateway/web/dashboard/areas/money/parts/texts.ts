// The dictionary of the area money.
import type { Language, Translation } from '@dashboard/shared/text/language.js';
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export type MoneyTexts = Translation<typeof en>;

export const MONEY_TEXTS: Readonly<Record<Language, MoneyTexts>> = { en, id };
