// Cases for each alert of ops/prometheus.
import { FORMER_NAMES } from '#ops/runtime/metrics.js';
import { type AlertCase, observe, single } from './alert-series.js';
import { SERVICE_LEVEL_CASES } from './service-level-cases.js';

const FOR_TWO_DAYS = 'x11600';
const RAILS_BUILD = 'kasir_build_info{job="rails",instance="a"}';
const MORE_RAILS_BUILD = 'kasir_build_info{job="rails",instance="b"}';
const WEBHOOKS_BUILD = 'kasir_build_info{job="webhooks",instance="a"}';
const FAILED_PAYOUTS =
  'kasir_rail_money_out_total{rail="xendit",operation="payout",outcome="failed"}';
const ACCEPTED_PAYOUTS =
  'kasir_rail_money_out_total{rail="xendit",operation="payout",outcome="accepted"}';
const PAYMENTS = 'kasir_partitions_owned{instance="a"}';
const MORE_PAYMENTS = 'kasir_partitions_owned{instance="b"}';
const PARTITIONS = 'kasir_partitions{instance="a"}';

const lagOf = (follower: string): string =>
  `kasir_payment_followers_lag_seconds{follower="${follower}"}`;

const PATH: Readonly<Record<string, AlertCase>> = {
  ProcessDown: single('up{job="gateway",instance="a"}', [1, '0x8'], 11.5, '0x2 1x20'),
  ProcessesAbsent: {
    fires: { [RAILS_BUILD]: [1, 'stale'], [WEBHOOKS_BUILD]: [1, '1x40'] },
    firesAtMin: 11.5,
    silent: { [RAILS_BUILD]: [1, 'stale'], [MORE_RAILS_BUILD]: [1, '1x80'] },
  },
  PartitionsWithoutOwner: {
    fires: { [PAYMENTS]: [8, '8x40'], [MORE_PAYMENTS]: [8, '0x40'], [PARTITIONS]: [16, '16x40'] },
    firesAtMin: 10.75,
    silent: { [PAYMENTS]: [8, '16x40'], [MORE_PAYMENTS]: [8, '0x40'], [PARTITIONS]: [16, '16x40'] },
  },
  'PartitionsWithoutOwner, without any process': {
    fires: { [PAYMENTS]: [16, 'stale'], [PARTITIONS]: [16, 'stale'] },
    firesAtMin: 10.75,
    silent: { [PAYMENTS]: [16, '16x40'], [PARTITIONS]: [16, '16x40'] },
  },
  PartitionsStopped: single('kasir_partitions_stopped{instance="a"}', [0, '1x40'], 11.5, '1 0x40'),
  PaymentsAbsent: single('kasir_gateway_has_payments{instance="a"}', [1, '0x40'], 10.5, '1x40'),
  InternalErrors: {
    fires: { 'kasir_gateway_rejections_total{code="internal_error"}': [0, '1x40'] },
    firesAtMin: 10.5,
    silent: {
      'kasir_gateway_rejections_total{code="internal_error"}': [1, '0x40'],
      'kasir_gateway_rejections_total{code="field_invalid"}': [0, '1+1x40'],
    },
  },
  PageFaults: single('kasir_gateway_page_faults_total{kind="script"}', [0, '7x40'], 10.5, '4x40'),
  CommandsQuarantined: single('kasir_commands_quarantined_total', [0, '1x40'], 10.5, '0x40'),
  'CommandsQuarantined, by a process of the version before': single(
    FORMER_NAMES.kasir_commands_quarantined_total,
    [0, '1x40'],
    10.5,
    '0x40',
  ),
  CommandsDatedAhead: single('kasir_streams_ahead_seconds', [0, '31x40'], 11.5, '29x40'),
  CommandsDeferred: single('kasir_commands_deferred', [0, '1x40'], 15.5, '1x16 0x20'),
  RequestsRefused: {
    fires: {
      'kasir_gateway_rejections_total{code="overloaded"}': [0, '1+1x40'],
      kasir_gateway_request_seconds_count: [0, '50+50x40'],
    },
    firesAtMin: 11.5,
    silent: {
      'kasir_gateway_rejections_total{code="overloaded"}': [0, '1+1x40'],
      kasir_gateway_request_seconds_count: [0, '200+200x40'],
    },
  },
  CommandsQueue: {
    fires: observe('kasir_command_queue_seconds', ['1', '2.5'], '9+9x40'),
    firesAtMin: 11.5,
    silent: observe('kasir_command_queue_seconds', ['0.5', '1'], '9+9x40'),
  },
  CommitsSlow: {
    fires: observe('kasir_commit_seconds', ['0.25', '0.5'], '9+9x40'),
    firesAtMin: 15.5,
    silent: observe('kasir_commit_seconds', ['0.128', '0.25'], '9+9x40'),
  },
  StreamsLost: single('kasir_stream_repairs_total{repair="remade"}', [0, '1x40'], 10.5, '0x40'),
  PartitionsMoveOften: single('kasir_partition_takeovers_total', [0, '128x40'], 10.5, '16x40'),
};

const WEBHOOKS: Readonly<Record<string, AlertCase>> = {
  EventsNotFannedOut: single('kasir_outbox_unpublished', [0, '1001x40'], 11.5, '1000x40'),
  DeliveriesNotReconciled: single(
    'kasir_webhook_reconciler_age_seconds{instance="a"}',
    [1, '15+15x40'],
    11.5,
    '15 30 45 60 1x40',
  ),
  EventsSetAside: single('kasir_webhook_events_set_aside', [0, '1x40'], 10.25, '0x40'),
  PaymentsNotFollowed: {
    fires: { [lagOf('links_and_invoices')]: [0, '61x40'] },
    firesAtMin: 12.5,
    silent: { [lagOf('links_and_invoices')]: [0, '60x40'], [lagOf('totals')]: [0, '61x8'] },
  },
  SearchOrTotalsLate: {
    fires: { [lagOf('search')]: [0, '61x40'], [lagOf('totals')]: [0, '5x40'] },
    firesAtMin: 15.5,
    silent: { [lagOf('search')]: [0, '60x40'], [lagOf('links_and_invoices')]: [0, '61x7'] },
  },
  ErasuresFail: {
    fires: { 'kasir_erasures_total{outcome="failed"}': [0, '1x40'] },
    firesAtMin: 10.5,
    silent: {
      'kasir_erasures_total{outcome="failed"}': [0, '0x40'],
      'kasir_erasures_total{outcome="done"}': [0, '1+1x40'],
    },
  },
  AttemptsNotRecorded: single('kasir_webhook_attempts_unrecorded_total', [0, '1x9'], 10.5, '0x9'),
  DueDeliveriesLate: {
    fires: observe('kasir_webhook_due_lag_seconds', ['5', '10'], '9+9x40'),
    firesAtMin: 15.5,
    silent: observe('kasir_webhook_due_lag_seconds', ['2.5', '5'], '9+9x40'),
  },
  EndpointsDisabled: single('kasir_webhook_endpoints_disabled_total', [0, '1x9'], 10.5, '0x9'),
  DeadLettersGrow: single('kasir_webhook_dead_letters_total', [500, '605x9'], 10.5, '590x9'),
};

const MONEY: Readonly<Record<string, AlertCase>> = {
  PayoutsUnknown: single('kasir_payout_unknown_outcomes', [0, '1x400'], 70.5, '1x200 0x200'),
  PayoutsWaitForAPerson: single(
    'kasir_payouts_open{status="MANUAL_REQUIRED"}',
    [0, '1x1200'],
    250.5,
    '1x900 0x300',
  ),
  PayoutsNotSent: single('kasir_payouts_open{status="PENDING"}', [0, '1x80'], 25.5, '1x50 0x30'),
  RailContradictsARecord: single(
    'kasir_operator_tasks_open{kind="payout_contradicted"}',
    [0, '1x9'],
    10.25,
    '0x9',
  ),
  OperatorTasksWait: single(
    'kasir_operator_tasks_oldest_seconds{kind="unknown_order"}',
    [0, '86401x9'],
    10.25,
    '86400x9',
  ),
  ApprovalsWait: single(
    'kasir_approvals_oldest_seconds{status="proposed"}',
    [0, '86401x9'],
    10.25,
    '86400x9',
  ),
  ApprovalsNotApplied: single(
    'kasir_approvals_oldest_seconds{status="approved"}',
    [0, '601x9'],
    10.25,
    '600x9',
  ),
  MoneyInSuspense: single(
    'kasir_suspense_amount{currency="IDR"}',
    [0, `1${FOR_TWO_DAYS}`],
    1451,
    `1x5000 0x6000`,
  ),
};

const RAILS: Readonly<Record<string, AlertCase>> = {
  RailUnanswered: single('kasir_rail_unknown_outcomes{rail="xendit"}', [0, '21x40'], 15.5, '20x40'),
  RailCircuitBreakerOpen: single(
    'kasir_rail_circuit_breaker_state{rail="xendit",operation="charge"}',
    [0, '2x9'],
    11.5,
    '2x2 1x2 0x9',
  ),
  'RailCircuitBreakerOpen, at a process of the version before': single(
    `${FORMER_NAMES.kasir_rail_circuit_breaker_state}{rail="xendit",operation="charge"}`,
    [0, '2x9'],
    11.5,
    '2x2 1x2 0x9',
  ),
  RailThrottles: single(
    'kasir_rail_throttled_total{rail="xendit",operation="inquiry"}',
    [0, '1+1x80'],
    20.75,
    '1x80',
  ),
  RailFailsPayoutsOrRefunds: {
    fires: { [FAILED_PAYOUTS]: [0, '8x40'], [ACCEPTED_PAYOUTS]: [90, '99x40'] },
    firesAtMin: 10.5,
    // Few of many fail, and the few of another rail say nothing.
    silent: {
      [FAILED_PAYOUTS]: [0, '8x40'],
      [ACCEPTED_PAYOUTS]: [90, '120x40'],
      'kasir_rail_money_out_total{rail="midtrans",operation="refund",outcome="failed"}': [
        0,
        '4x40',
      ],
    },
  },
  RailAnswersNotApplied: single('kasir_rail_facts_waiting', [0, '1x40'], 12.5, '1x6 0x30'),
  RailCallbacksForged: single(
    'kasir_rail_callbacks_total{rail="midtrans",outcome="forged"}',
    [0, '22x40'],
    10.5,
    '19x40',
  ),
  RailCallbacksNotStored: single(
    'kasir_rail_callbacks_total{rail="midtrans",outcome="unavailable"}',
    [0, '7x40'],
    10.5,
    '4x40',
  ),
  RailDiffers: {
    fires: { 'kasir_rail_reconciliation_differences{rail="xendit",kind="missing"}': [0, '1x40'] },
    firesAtMin: 10.25,
    silent: {
      'kasir_rail_reconciliation_differences{rail="xendit",kind="unanswered"}': [0, '1x40'],
    },
  },
  RailNotReconciled: single(
    'kasir_rail_reconciliation_age_seconds{rail="xendit"}',
    [0, '129601x400'],
    70.5,
    '129600x400',
  ),
};

const ACCOUNTS: Readonly<Record<string, AlertCase>> = {
  LoginsFail: single(
    'kasir_gateway_rejections_total{code="login_failed"}',
    [0, '20+20x120'],
    30,
    '20+20x20 420x100',
  ),
  AccountsLocked: single('kasir_login_lockouts_total', [0, '22x40'], 10.5, '19x40'),
  RateLimitsNotShared: single('kasir_rate_limit_failures_total', [0, '1+1x100'], 20.5, '1x100'),
};

/** By the name of the alert, with a remark behind a comma if it has several. */
export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  ...PATH,
  ...WEBHOOKS,
  ...MONEY,
  ...RAILS,
  ...ACCOUNTS,
  ...SERVICE_LEVEL_CASES,
};
