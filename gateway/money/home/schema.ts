// Queries and answers of a merchant's home page.
import { type Static, Type } from '@sinclair/typebox';
import { TIME_ZONE } from '#actors/core/days.js';
import {
  allowNull,
  AmountSchema,
  CurrencySchema,
  EnvironmentSchema,
  TimeSchema,
} from '#actors/core/schemas/fields.js';
import {
  CHARGED_BACK_DAYS,
  MAX_COUNTED,
  PAID_LATE_DAYS,
} from '#store/postgres/merchants/count-open-matters.js';
import { type Interval, INTERVALS } from '#store/postgres/payments/read-totals.js';
import { ENVIRONMENT, closed } from '#gateway/routing/schema-parts.js';
import { TIME_REQUIREMENT } from '#gateway/lists/filters.js';

export const DEFAULT_DAYS = { hour: 1, day: 30 } as const satisfies Record<Interval, number>;
export const MAX_DAYS = { hour: 14, day: 366 } as const satisfies Record<Interval, number>;

export const ZONE_REQUIREMENT = 'must be the name of a time zone, such as Asia/Makassar';

const buildTimeSchema = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      description,
      errorMessage: TIME_REQUIREMENT,
      examples: ['2026-08-02T00:00:00.000Z'],
    }),
  );

export const StatisticsQuery = Type.Object(
  {
    ...ENVIRONMENT,
    interval: Type.Optional(
      Type.Union([Type.Literal('hour'), Type.Literal('day')], {
        description: `Absent: \`day\`. At most ${MAX_DAYS.day} days, or ${MAX_DAYS.hour} days by hour.`,
        errorMessage: 'must be hour or day',
      }),
    ),
    from: buildTimeSchema(
      'ISO 8601, or a day in UTC. Its hour or day is shown whole. Absent: 30 days, or 24 hours, before `to`.',
    ),
    to: buildTimeSchema('Not included, but its quarter of an hour is. Absent: now.'),
    time_zone: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z_]{2,20}(/[A-Za-z_+0-9-]{1,20}){0,2}$',
        description: `Its hours and days are shown. Absent: \`${TIME_ZONE}\`.`,
        errorMessage: ZONE_REQUIREMENT,
        examples: [TIME_ZONE],
      }),
    ),
  },
  closed,
);
export type StatisticsQuery = Static<typeof StatisticsQuery>;

const COUNT = { count: Type.Integer(), amount: AmountSchema };
const buildTotal = (description: string) => Type.Object(COUNT, { description });

const OUTCOMES = {
  paid: buildTotal('Payments that were paid at that time.'),
  failed: buildTotal('Payments that failed or expired at that time.'),
  cancelled: buildTotal('Payments that were cancelled at that time.'),
  refunded: buildTotal('Refunds that were completed at that time, whole and in part.'),
  reversed: buildTotal('Payments whose rail took the money back at that time.'),
  success_rate: allowNull(Type.Number({ minimum: 0, maximum: 1, examples: [0.9375] }), {
    description:
      'Of the payments that were paid or failed, the part that was paid. Null: there are none.',
  }),
};
const Outcomes = Type.Object(OUTCOMES, {
  description: 'Since midnight in the time zone.',
});
export type Outcomes = Static<typeof Outcomes>;

const WITH_PENDING = {
  ...OUTCOMES,
  pending: buildTotal('Payments that were created at that time and still wait to be paid.'),
};

export const Statistics = Type.Object(
  {
    object: Type.Literal('statistics'),
    environment: EnvironmentSchema,
    currency: CurrencySchema,
    interval: Type.Unsafe<Interval>(Type.String({ enum: [...INTERVALS] })),
    time_zone: Type.String({ examples: [TIME_ZONE] }),
    pending: Type.Object(
      {
        ...COUNT,
        complete: Type.Boolean({
          description:
            'False: so many payments wait that the figures named `pending` leave some of them out.',
        }),
      },
      { description: 'Payments that wait to be paid now, whenever they were created.' },
    ),
    today: Outcomes,
    total: Type.Object(WITH_PENDING, { description: 'The sum of all rows of `data`.' }),
    data: Type.Array(Type.Object({ start: TimeSchema, ...WITH_PENDING }), {
      description: 'One row for each hour or day, oldest first, also for those without payments.',
    }),
  },
  { title: 'Statistics', description: 'Outcomes of the payments of a merchant over time.' },
);
export type Statistics = Static<typeof Statistics>;

export const LIVE_STEPS = [
  'address_unconfirmed',
  'verification_missing',
  'verification_pending',
  'verification_rejected',
  'live_stopped',
  'live_off',
  'key_missing',
  'endpoint_missing',
] as const;
export type LiveStep = (typeof LIVE_STEPS)[number];

export const AttentionQuery = Type.Object(ENVIRONMENT, closed);
export type AttentionQuery = Static<typeof AttentionQuery>;

const countUpTo = (description: string) =>
  Type.Integer({ description: `${description} ${MAX_COUNTED} means at least as many.` });

export const Attention = Type.Object(
  {
    object: Type.Literal('attention'),
    environment: EnvironmentSchema,
    dead_letters: allowNull(countUpTo('Deliveries that are not attempted any more.'), {
      description: 'Null: the role may not read webhooks.',
    }),
    failing_endpoints: allowNull(
      Type.Integer({ description: 'Endpoints to which every delivery has failed for an hour.' }),
      { description: 'Null: the role may not read webhooks.' },
    ),
    refusing_endpoints: allowNull(
      Type.Integer({
        description:
          'Endpoints whose latest attempts failed: in TEST at once, in LIVE from the first pause.',
      }),
      { description: 'Null: the role may not read webhooks.' },
    ),
    charged_back: countUpTo(
      `Payments whose money a customer's bank took back in the last ${CHARGED_BACK_DAYS} days.`,
    ),
    paid_late: countUpTo(
      `Payments that were paid after they had ended, in the last ${PAID_LATE_DAYS} days.`,
    ),
    going_live: Type.Array(Type.Unsafe<LiveStep>(Type.String({ enum: [...LIVE_STEPS] })), {
      description:
        'What is missing before LIVE payments can be taken, the next step first. Steps after the verification are listed ' +
        'once it is approved.',
    }),
    manual_refunds: countUpTo('Refunds that an administrator has to make.'),
    negative_balances: Type.Array(
      Type.Object({ currency: CurrencySchema, available: AmountSchema }),
      { description: 'Balances below zero, which block payouts.' },
    ),
  },
  { title: 'Attention', description: 'Matters of a merchant that need attention.' },
);
export type Attention = Static<typeof Attention>;
