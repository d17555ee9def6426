// The process that may send each command, written out here instead of read from the product: facts of a rail come from the
// rails process only, and a gateway, which the internet reaches, brings about no LIVE money by its signature.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import type { CommandSource, SentCommand } from '#actors/core/payment/commands.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import { decide } from '#actors/core/payment/state-machine.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeFrames } from '#actors/payments/batch-input.js';
import { fold, START_MS } from '#test/support/given-when-then.js';
import { type Situation, SITUATIONS } from '#test/core/payment/matrix/situations.js';
import * as p from '#test/core/payment/samples.js';

/**
 * acts: it changes the payment. rejected: the state machine refuses it. stored: it acts as a row of Postgres says, which
 * more than a signature must have written. quarantined: its source may not send it.
 */
type Verdict = 'acts' | 'rejected' | 'stored' | 'quarantined';
type Column = 'gateway TEST' | 'gateway LIVE' | 'rails' | 'webhooks' | 'nobody';
const COLUMNS: readonly Column[] = ['gateway TEST', 'gateway LIVE', 'rails', 'webhooks', 'nobody'];

const NO = 'quarantined';
const ASKED = ['acts', 'acts', NO, NO, NO] as const;
const OF_RAILS = [NO, NO, 'acts', NO, NO] as const;
const STORED = ['stored', 'stored', NO, NO, NO] as const;
const NEVER = [NO, NO, NO, NO, NO] as const;

/** By column. */
const EXPECTED = {
  create: ASKED,
  choose_method: ASKED,
  simulate: ['acts', 'rejected', NO, NO, NO],
  cancel: ASKED,
  refund: ASKED,
  complete_refund: STORED,
  fail_refund: STORED,
  book_approval: STORED,
  settle: OF_RAILS,
  fail: OF_RAILS,
  reverse: OF_RAILS,
  expire: OF_RAILS,
  release_hold: OF_RAILS,
  charge_answered: OF_RAILS,
  close_answered: OF_RAILS,
  refund_answered: OF_RAILS,
  erase: [NO, NO, NO, 'acts', NO],
  disown_settlement: NEVER,
  record_refund: NEVER,
} as const satisfies Record<SentCommand['type'], readonly Verdict[]>;
type SentType = keyof typeof EXPECTED;

type Environment = 'TEST' | 'LIVE';
interface Case {
  /** In which the command acts, unless something refuses it. */
  readonly situation: Situation;
  readonly command: SentCommand;
  readonly afterMs?: number;
}

const APPROVAL = makeId('appr', new Uint8Array(16));
const HOLD_OVER_MS = 3 * 86_400_000;

/** The situations that exist in LIVE only are also those of the commands that only the rails process sends. */
const CASES: Readonly<Record<SentType, (environment: Environment) => Case>> = {
  create: (environment) => ({ situation: 'none', command: p.create(environment) }),
  choose_method: (environment) => ({
    situation: environment === 'TEST' ? 't_pending' : 'unchosen',
    command: p.choose('VA_BCA', environment === 'TEST' ? [] : ['midtrans']),
  }),
  simulate: (environment) => ({
    situation: environment === 'TEST' ? 't_pending' : 'open',
    command: p.simulate('paid'),
  }),
  cancel: (environment) => ({
    situation: environment === 'TEST' ? 't_pending' : 'open',
    command: p.cancel(environment),
  }),
  refund: (environment) => ({
    situation: environment === 'TEST' ? 't_paid' : 'paid',
    command: p.refund(null, { environment }),
  }),
  complete_refund: () => ({
    situation: 'refund_manual',
    command: p.endRefund('complete_refund'),
  }),
  fail_refund: () => ({ situation: 'refund_manual', command: p.endRefund('fail_refund') }),
  book_approval: () => ({
    situation: 'paid',
    command: { type: 'book_approval', paymentId: p.PAYMENT_ID, approvalId: APPROVAL },
  }),
  settle: () => ({ situation: 'open', command: p.settle() }),
  fail: () => ({ situation: 'open', command: p.fail() }),
  reverse: () => ({ situation: 'paid', command: p.reverse() }),
  expire: () => ({ situation: 'open', ...p.EXPIRE }),
  release_hold: () => ({ situation: 'paid', command: p.RELEASE, afterMs: HOLD_OVER_MS }),
  charge_answered: () => ({ situation: 'charging', command: p.chargeAnswered(p.ACCEPTED) }),
  close_answered: () => ({
    situation: 'cancel_asked',
    command: p.closeAnswered({ result: 'closed' }),
  }),
  refund_answered: () => ({
    situation: 'refund_asked',
    command: p.refundAnswered({ result: 'failed' }),
  }),
  erase: () => ({ situation: 'failed', command: p.erase() }),
  disown_settlement: () => ({ situation: 'paid', command: p.disown() }),
  record_refund: () => ({ situation: 'paid', command: p.recordRefund(10_000n) }),
};

function findSource(column: Column): CommandSource | null {
  if (column === 'nobody') return null;
  return column === 'rails' || column === 'webhooks' ? column : 'gateway';
}

function judge({ situation, command, afterMs = 1_000 }: Case, column: Column): string {
  const text = encodeCommand(command);
  const frame = {
    ...{ partition: 0, position: { ms: 1n, seq: 0n }, sender: 'x' },
    ...{ source: findSource(column), commands: [{ correlation: '', text }] },
  };
  const [item] = decodeFrames([frame], {
    ...{ partitions: new Map([[0, { counts: [1] }]]), resumed: new Map() },
  });
  if (item?.quarantineReason !== undefined) {
    const isExpected = /may not send a command|is not signed with a key/.test(
      item.quarantineReason,
    );
    return isExpected ? 'quarantined' : item.quarantineReason;
  }
  if (item?.command === undefined) return 'stored';
  const decision = decide(fold(SITUATIONS[situation]), item.command, START_MS + afterMs);
  if (isRejection(decision.outcome)) return 'rejected';
  return decision.events.length > 0 ? 'acts' : decision.outcome;
}

for (const type of Object.keys(EXPECTED) as SentType[]) {
  t.test(`${type} is taken from the process that may send it, and from no other`, (t) => {
    COLUMNS.forEach((column, index) => {
      const environment = column === 'gateway TEST' ? 'TEST' : 'LIVE';
      t.equal(judge(CASES[type](environment), column), EXPECTED[type][index], column);
    });
    t.end();
  });
}
