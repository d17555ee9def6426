// Mutants of the calls to rails: charges, closes, refunds, status inquiries, callbacks.
import type { Mutant } from './mutant.js';

const CALLER = 'actors/rails/calls/caller.ts';
const CALL_RAIL = 'actors/rails/calls/call-rail.ts';
const INQUIRER = 'actors/rails/inquiries/inquirer.ts';
const RESULT = 'actors/rails/inquiries/inquiry-result.ts';
const CLAIMS = 'store/postgres/rails/claim-calls.ts';
const ANSWERS = 'store/postgres/rails/record-answers.ts';
const INQUIRIES = 'store/postgres/rails/inquiries.ts';
const CALLBACKS = 'store/postgres/rails/callbacks.ts';
const DIFFERENTIAL = 'test/simulation/differential/rails.test.ts';
const ANY = { protocol: 'rails' };

export const RAIL_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'a lost answer to a charge is no refusal',
    file: CALL_RAIL,
    from: "if (given.result === 'unknown') return { kind: 'open', isUnknown: true, command: null };",
    to: "if (given.result === 'unknown') return buildChargeOutcome({ paymentId, orderId } as ChargeCall, { result: 'refused' });",
    caughtBy: { ...ANY, fault: 'rail_answers_lost' },
  },
  {
    breaks: 'a call is not made again when a failover may have lost its claim',
    file: CALLER,
    from: 'const doubt = isDoubtful ? await doubtCall(caller, call, claim) : undefined;',
    to: 'const doubt = undefined;',
    caughtBy: { ...ANY, fault: 'postgres_lost_tail' },
  },
  {
    breaks: 'a call waits for no answer that its payment knows',
    file: RESULT,
    from: 'const answeredCalls = isAttemptOver(order) ? givenUp.map(({ id }) => id) : [];',
    to: 'const answeredCalls: string[] = [];',
    caughtBy: { ...ANY, fault: 'postgres_lost_tail' },
  },
  {
    breaks: 'a method is not changed while a charge is under way',
    file: 'actors/core/payment/attempts.ts',
    from: "    if (current.status === 'charging') return reject('state_conflict');\n",
    to: '',
    caughtBy: { ...ANY, fault: 'rail_answers_lost' },
  },
  {
    breaks: 'a refund that may have arrived is not repeated where its key is not known',
    file: INQUIRER,
    from: 'await store.repeatUnbegunRefund(open.id, givenUpMs);',
    to: 'await store.repeatRefund(open.id, 86_400_000);',
    caughtBy: { ...ANY, fault: 'rail_late' },
  },
  {
    breaks: 'money that an inquiry finds is booked',
    file: RESULT,
    from: "return [{ type: 'settle', paymentId, settlement: answer.settlement }];",
    to: 'return [];',
    caughtBy: ANY,
  },
  {
    breaks: 'a refund is open until its rail has a result',
    file: RESULT,
    from: "const isOpen = answer.result === 'pending' || answer.result === 'unknown';",
    to: "const isOpen = answer.result === 'unknown';",
    caughtBy: { ...ANY, fault: 'callbacks_lost' },
  },
  {
    breaks: 'an order that can still be paid is closed again',
    file: 'actors/rails/inquiries/repeated-closes.ts',
    from: 'if (isUnderWay || nowMs >= inquireUntilMs) return null;',
    to: 'if (isUnderWay || nowMs >= 0) return null;',
    caughtBy: 'test/actors/rails/inquiries/repeated-closes.test.ts',
  },
  {
    breaks: 'a payment that is due gets its command',
    file: 'actors/rails/schedulers/payment-scheduler.ts',
    from: 'await background.send([...commands.values()]);',
    to: 'await background.send([]);',
    caughtBy: ANY,
  },
  {
    breaks: 'a reversal takes the money from the merchant',
    file: 'actors/core/payment/postings.ts',
    from: '    ...moveToRail(state, findHome(state), computeUnrefunded(state), reason),\n',
    to: '',
    caughtBy: ANY,
  },
  {
    breaks: 'a refund without a result becomes a task',
    file: 'actors/rails/inquiries/overdue-refunds.ts',
    from: 'await store.openRefundTask({ id, paymentId, details });',
    to: 'void [id, paymentId, details];',
    caughtBy: { ...ANY, fault: 'rail_down' },
  },
  {
    breaks: 'a claim begins without a request of a claim before it',
    file: CLAIMS,
    from: "set state = 'sent', sent_at = now(), begun_at = null from due",
    to: "set state = 'sent', sent_at = now() from due",
    caughtBy: DIFFERENTIAL,
  },
  {
    breaks: 'the first answer of a call counts',
    file: ANSWERS,
    from: "from given g where c.id = g.id and c.state is not distinct from 'sent'\n",
    to: 'from given g where c.id = g.id\n',
    caughtBy: DIFFERENTIAL,
  },
  {
    breaks: 'a refund is requested once for a claim',
    file: ANSWERS,
    from: 'and sent_at = ${sentAt}::text::timestamptz and begun_at is null\n',
    to: 'and sent_at = ${sentAt}::text::timestamptz\n',
    caughtBy: DIFFERENTIAL,
  },
  {
    breaks: 'only the latest result of an inquiry counts',
    file: INQUIRIES,
    from: 'from given g where i.id = g.id and i.number = g.number\n',
    to: 'from given g where i.id = g.id\n',
    caughtBy: 'test/store/rails/rails.test.ts',
  },
  {
    breaks: 'a callback makes an inquiry due that had ended',
    file: CALLBACKS,
    from: 'set due_at = least(i.due_at, greatest(now(), i.inquired_at + k.pause)),',
    to: 'set due_at = case when i.due_at is not null then greatest(now(), i.inquired_at + k.pause) end,',
    caughtBy: DIFFERENTIAL,
  },
];
