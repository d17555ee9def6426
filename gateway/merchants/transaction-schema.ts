// Query schemas of a merchant's lists for sessions: those of the key API with the environment added.
import { type Static, Type } from '@sinclair/typebox';
import { EventsQuery as KeyEventsQuery } from '../payments/events.js';
import { PaymentsQuery as KeyPaymentsQuery } from '../payments/list.js';
import { PayoutsQuery as KeyPayoutsQuery } from '../payouts/list.js';
import { RefundsQuery as KeyRefundsQuery } from '../refunds/list.js';
import { EnvironmentChoice, closed } from '../routing/schema-parts.js';
import { FORMAT_QUERY } from '../lists/csv-format.js';

export const ENVIRONMENT = {
  environment: Type.Optional(
    Type.Union([...EnvironmentChoice.anyOf], {
      description: 'Absent: `TEST`.',
      errorMessage: 'must be TEST or LIVE',
    }),
  ),
};

export const EnvironmentQuery = Type.Object(ENVIRONMENT, closed);

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

export const RefundsQuery = Type.Object(
  { ...ENVIRONMENT, ...KeyRefundsQuery.properties, ...FORMAT_QUERY },
  closed,
);
export type RefundsQuery = Static<typeof RefundsQuery>;

export const PayoutsQuery = Type.Object(
  { ...ENVIRONMENT, ...KeyPayoutsQuery.properties, ...FORMAT_QUERY },
  closed,
);
export type PayoutsQuery = Static<typeof PayoutsQuery>;

export const EventsQuery = Type.Object(
  { ...ENVIRONMENT, ...KeyEventsQuery.properties, ...FORMAT_QUERY },
  closed,
);
export type EventsQuery = Static<typeof EventsQuery>;
