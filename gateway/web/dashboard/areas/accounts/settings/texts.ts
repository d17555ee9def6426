// The dictionary of the settings.
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export const SETTINGS_TEXTS = { en, id };
export type SettingsTexts = typeof en | typeof id;
