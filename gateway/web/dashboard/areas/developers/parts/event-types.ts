// The types of webhooks, in the order in which the dashboard offers them.
import { en, type EventType } from './texts.en.js';

export const EVENT_TYPES = Object.keys(en.webhooks.eventHelp) as readonly EventType[];
