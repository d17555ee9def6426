// The types of webhooks, in the order in which the dashboard offers them.
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { en } from './texts.en.js';

export type EventType = NonNullable<MerchantSchema['SendTestEventRequest']['type']>;

export const EVENT_TYPES = Object.keys(en.webhooks.eventHelp) as readonly EventType[];
