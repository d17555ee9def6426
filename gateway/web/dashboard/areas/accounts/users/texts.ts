// The dictionary of the team.
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export const TEAM_TEXTS = { en, id };
export type TeamTexts = typeof en | typeof id;
