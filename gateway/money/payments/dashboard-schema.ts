// Queries of the lists of payments and events in a session: those of keys, with the environment, the customer and the form of files.
import { type Static, Type } from '@sinclair/typebox';
import { FORMAT_QUERY } from '#gateway/lists/csv-format.js';
import { closed, ENVIRONMENT } from '#gateway/routing/schema-parts.js';
import { EventsQuery as KeyEventsQuery } from './events.js';
import { PaymentsQuery as KeyPaymentsQuery } from './list.js';

export const PaymentsQuery = Type.Object(
  {
    ...ENVIRONMENT,
    customer: Type.Optional(
      Type.String({
        minLength: 1,
        description: "A part of the customer's name, e-mail address or phone number.",
        examples: ['budi'],
      }),
    ),
    ...KeyPaymentsQuery.properties,
    ...FORMAT_QUERY,
  },
  closed,
);
export type PaymentsQuery = Static<typeof PaymentsQuery>;

export const EventsQuery = Type.Object(
  { ...ENVIRONMENT, ...KeyEventsQuery.properties, ...FORMAT_QUERY },
  closed,
);
export type EventsQuery = Static<typeof EventsQuery>;
