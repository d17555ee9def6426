// Paths of secret keys: payouts.
import { parsePayoutId } from '#actors/core/ids.js';
import type { PayoutRequest } from '#actors/core/payout/state.js';
import {
  parsePayoutRequest,
  type PayoutRequestError,
} from '#actors/core/requests/create-payout.js';
import { BANK_CODES, PAYOUT_BANKS } from '#actors/core/payout-banks.js';
import { buildListSchema, buildPageSchema } from '#actors/core/schemas/fields.js';
import { CreatePayoutRequest, Payout, PayoutBank } from '#actors/core/schemas/payout.js';
import { getPayout, listPayouts, PayoutsQuery } from './list.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { cancelPayout, createPayout } from './handlers.js';
import { reply } from '#gateway/routing/response.js';
import {
  buildParsedBodySpec,
  defineKeyRoute,
  buildQuerySpec,
  type Route,
} from '#gateway/routing/route.js';

const params = { payout_id: { parse: parsePayoutId, code: 'payout_not_found' } } as const;
/** A key that may create payouts may also read them. */
const READS = { scope: ['read', 'payouts'] } as const;

export const PAYOUT_ERRORS = [
  'amount_invalid',
  'amount_out_of_range',
  'currency_unsupported',
  'card_data_refused',
  'balance_insufficient',
  'idempotency_conflict',
  'outcome_unknown',
] as const;

/** The same in TEST and in LIVE. */
export const PAYOUT_BANK_LIST = reply(
  200,
  JSON.stringify({
    data: BANK_CODES.map((code) => ({ object: 'payout_bank', code, name: PAYOUT_BANKS[code] })),
  }),
);

export const buildPayoutRoutes = (deps: ApiDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'POST',
    path: '/v1/payouts',
    operationId: 'createPayout',
    summary: 'Create a payout',
    description:
      'Sends money of the available balance to a bank account. A live key needs the scope `payouts`. In TEST the ' +
      'payout completes within a second; account numbers that end in `0000` fail.',
    scope: 'payouts',
    idempotent: true,
    body: buildParsedBodySpec<PayoutRequest, PayoutRequestError>(
      CreatePayoutRequest,
      parsePayoutRequest,
    ),
    answers: { 201: Payout, 200: Payout },
    errors: PAYOUT_ERRORS,
    handle: (request) => createPayout(deps, request),
  }),
  defineKeyRoute({
    ...READS,
    method: 'GET',
    path: '/v1/payouts',
    operationId: 'listPayouts',
    summary: 'List payouts',
    description: 'Newest first.',
    query: buildQuerySpec(PayoutsQuery),
    answers: { 200: buildPageSchema(Payout) },
    errors: ['field_invalid', 'card_data_refused'],
    handle: (request) => listPayouts(deps, request),
  }),
  defineKeyRoute({
    ...READS,
    method: 'GET',
    path: '/v1/payout-banks',
    operationId: 'listPayoutBanks',
    summary: 'List the banks for payouts',
    description: 'The codes that `bank_code` of a payout takes, with the names of the banks.',
    answers: { 200: buildListSchema(PayoutBank) },
    handle: () => PAYOUT_BANK_LIST,
  }),
  ...buildPayoutActionRoutes(deps),
];

const buildPayoutActionRoutes = (deps: ApiDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'POST',
    path: '/v1/payouts/{payout_id}/cancel',
    operationId: 'cancelPayout',
    summary: 'Cancel a payout',
    description:
      'Only while it is `PENDING`. It becomes `FAILED` with `failure_code` `cancelled`, and its money returns to the ' +
      'balance. Repeats are idempotent.',
    scope: 'payouts',
    params,
    answers: { 200: Payout },
    errors: ['payout_not_found', 'state_conflict'],
    handle: (request) => cancelPayout(deps, request),
  }),
  defineKeyRoute({
    ...READS,
    method: 'GET',
    path: '/v1/payouts/{payout_id}',
    operationId: 'getPayout',
    summary: 'Show a payout',
    description:
      '`COMPLETED`: the bank has paid it out. It can still be `REVERSED` when the bank sends the money back.',
    params,
    answers: { 200: Payout },
    errors: ['payout_not_found'],
    handle: (request) => getPayout(deps, request),
  }),
];
