// Approvals: changes of money that one administrator proposes and another one approves.
import { type Static, Type } from '@sinclair/typebox';
import {
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalKind,
  type ApprovalStatus,
} from '#actors/core/approvals/kinds.js';
import {
  AmountSchema,
  allowNull,
  CurrencySchema,
  EnvironmentSchema,
  PaymentIdSchema,
  RefundIdSchema,
  TimeSchema,
} from '#actors/core/schemas/fields.js';
import { buildIdSchema, closed } from '#gateway/routing/schema-parts.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';

const Kind = Type.Unsafe<ApprovalKind>(
  Type.Union(
    APPROVAL_KINDS.map((kind) => Type.Literal(kind)),
    { errorMessage: `must be one of ${APPROVAL_KINDS.join(', ')}` },
  ),
);
const Status = Type.Unsafe<ApprovalStatus>(
  Type.Union(
    APPROVAL_STATUSES.map((status) => Type.Literal(status)),
    {
      description:
        '`proposed` waits for a second administrator; `approved` is being applied; `applied`, `refused` and `rejected` ' +
        'are final.',
      errorMessage: `must be one of ${APPROVAL_STATUSES.join(', ')}`,
    },
  ),
);

export const ApprovalsQuery = Type.Object(
  { status: Type.Optional(Status), kind: Type.Optional(Kind), ...PAGE_QUERY },
  closed,
);
export type ApprovalsQuery = Static<typeof ApprovalsQuery>;

export const Approval = Type.Object(
  {
    id: buildIdSchema('appr', 'The approval.'),
    object: Type.Literal('approval'),
    kind: Kind,
    status: Status,
    environment: EnvironmentSchema,
    merchant_id: allowNull(buildIdSchema('mer', 'The merchant whose money it moves.')),
    payment_id: allowNull(PaymentIdSchema),
    refund_id: allowNull(RefundIdSchema),
    payout_id: allowNull(buildIdSchema('po', 'The payout.')),
    task_id: allowNull(buildIdSchema('task', 'The operator task.')),
    amount: AmountSchema,
    currency: CurrencySchema,
    reference: Type.String({
      description: 'Names the cause: one approval of a kind may act on it.',
      examples: ['2026-08-FEE-REFUND'],
    }),
    request: Type.Unsafe<Readonly<Record<string, string>>>(
      Type.Object(
        {},
        { additionalProperties: Type.String(), description: 'What is done, by name.' },
      ),
    ),
    reason: allowNull(Type.String()),
    proposed_by: buildIdSchema('usr', 'The administrator who proposed it.'),
    proposed_at: TimeSchema,
    decided_by: allowNull(buildIdSchema('usr', 'The administrator who approved or rejected it.')),
    decided_at: allowNull(TimeSchema),
    decision_reason: allowNull(Type.String({ description: 'Why it was rejected.' })),
    ended_at: allowNull(TimeSchema),
    outcome: allowNull(Type.Object({ code: Type.String(), message: Type.String() }), {
      description: 'Why it was refused.',
    }),
  },
  { title: 'Approval', description: 'A change of money that two administrators decide.' },
);
export type ApprovalBody = Static<typeof Approval>;

export const RejectRequest = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      typedAs: 'lines',
      description: 'Why it is rejected; it is stored.',
      examples: ['Nominal tidak cocok dengan laporan bank'],
    }),
  },
  { ...closed, title: 'RejectApprovalRequest' },
);
export type RejectRequest = Static<typeof RejectRequest>;
