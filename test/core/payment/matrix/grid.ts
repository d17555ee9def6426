// The whole state machine: rows are states, columns are commands (both from situations.ts), a cell
// is the code of the outcome and the events, in order.
import type { EventType } from '#actors/core/payment/events.js';
import type { Outcome } from '#actors/core/payment/outcome.js';

type Cell = Outcome | `${Outcome} ${EventType}` | `${Outcome} ${EventType} ${EventType}`;

/** `w:` the sender waits. `?` a request is recorded and the rail is asked. `+` a second event. */
export const LEGEND: Readonly<Record<string, Cell>> = {
  '.': 'unchanged',
  x: 'state_conflict',
  '-': 'payment_not_found',
  '-r': 'refund_not_found',
  '=': 'replayed',
  w: 'waiting',
  new: 'created payment_created',
  started: 'done attempt_started',
  'w:started': 'waiting attempt_started',
  'w:switch?': 'waiting method_change_requested',
  accepted: 'done attempt_accepted',
  refused: 'done attempt_refused',
  'refused+failed': 'done attempt_refused payment_failed',
  unconfirmed: 'done attempt_unconfirmed',
  paid: 'done payment_paid',
  failed: 'done payment_failed',
  cancelled: 'done payment_cancelled',
  'w:cancel?': 'waiting cancel_requested',
  'expiry?': 'done expiry_requested',
  'closed+cancelled': 'done attempt_closed payment_cancelled',
  'closed+failed': 'done attempt_closed payment_failed',
  'closed+started': 'done attempt_closed attempt_started',
  kept: 'done cancel_refused',
  unsure: 'done close_unconfirmed',
  suspended: 'done settlement_suspended',
  disowned: 'done settlement_unapplied',
  reversed: 'done payment_reversed',
  unapplied: 'done reversal_unapplied',
  released: 'done hold_released',
  refunded: 'created refund_requested refund_succeeded',
  'w:submitted': 'waiting refund_requested refund_submitted',
  succeeded: 'done refund_succeeded',
  lost: 'done refund_failed',
  manual: 'done refund_made_manual',
  pending: 'done refund_left_pending',
  erased: 'done payment_erased',
  recorded: 'done refund_recorded',
  much: 'refund_exceeds_payment',
};

export const GRIDS: readonly string[] = [
  // Create, choice of a method, simulation.
  `
                 create  choose_bca  choose_bni  simulate_paid  simulate_failed
none             new     -           -           -              -
t_pending        =       started     started     paid           failed
t_paid           =       x           x           .              x
t_failed         =       x           x           x              .
t_cancelled      =       x           x           x              x
t_refunded       =       x           x           .              x
unchosen         =       w:started   w:started   -              -
creating         w       x           x           -              -
creating_cancel  w       x           x           -              -
creating_expiry  w       x           x           -              -
charging         =       w           x           -              -
open             =       .           w:switch?   -              -
cancel_asked     =       x           x           -              -
expiry_asked     =       x           x           -              -
switch_asked     =       x           w           -              -
paid             =       x           x           -              -
refund_asked     =       x           x           -              -
refund_manual    =       x           x           -              -
refunded         =       x           x           -              -
failed           =       x           x           -              -
cancelled        =       x           x           -              -
reversed         =       x           x           -              -
`,
  // Answers of the rail to a charge and to a close.
  `
                 charge_accepted  charge_refused  charge_unknown  close_closed      close_settled  close_refused  close_unknown
none             -                -               -               -                 -              -              -
t_pending        .                .               .               closed+cancelled  paid           .              .
t_paid           .                .               .               .                 suspended      .              .
t_failed         .                .               .               .                 paid           .              .
t_cancelled      .                .               .               .                 paid           .              .
t_refunded       .                .               .               .                 suspended      .              .
unchosen         .                .               .               .                 .              .              .
creating         accepted         refused+failed  unconfirmed     refused+failed    paid           .              .
creating_cancel  accepted         refused+failed  unconfirmed     closed+cancelled  paid           kept           unsure
creating_expiry  accepted         refused+failed  unconfirmed     closed+failed     paid           .              .
charging         accepted         refused         unconfirmed     refused           paid           .              .
open             .                .               .               closed+cancelled  paid           .              .
cancel_asked     .                .               .               closed+cancelled  paid           kept           unsure
expiry_asked     .                .               .               closed+failed     paid           .              .
switch_asked     .                .               .               closed+started    paid           .              .
paid             .                .               .               .                 .              .              .
refund_asked     .                .               .               .                 .              .              .
refund_manual    .                .               .               .                 .              .              .
refunded         .                .               .               .                 .              .              .
failed           .                .               .               .                 paid           .              .
cancelled        .                .               .               .                 paid           .              .
reversed         .                .               .               .                 .              .              .
`,
  // Ends without money.
  `
                 cancel     fail              expire_early  expire   expire_later
none             -          -                 -             -        -
t_pending        cancelled  failed            .             failed   failed
t_paid           x          .                 .             .        .
t_failed         x          .                 .             .        .
t_cancelled      .          .                 .             .        .
t_refunded       x          .                 .             .        .
unchosen         cancelled  .                 .             failed   failed
creating         w:cancel?  failed            .             expiry?  expiry?
creating_cancel  w          failed            .             expiry?  expiry?
creating_expiry  w:cancel?  failed            .             .        failed
charging         w:cancel?  failed            .             expiry?  expiry?
open             w:cancel?  failed            .             expiry?  expiry?
cancel_asked     w          closed+cancelled  .             expiry?  expiry?
expiry_asked     w:cancel?  closed+failed     .             .        failed
switch_asked     w:cancel?  closed+started    .             expiry?  expiry?
paid             x          .                 .             .        .
refund_asked     x          .                 .             .        .
refund_manual    x          .                 .             .        .
refunded         x          .                 .             .        .
failed           x          .                 .             .        .
cancelled        .          .                 .             .        .
reversed         x          .                 .             .        .
`,
  // Money, and erasure.
  `
                 settle     settle_second  disown    reverse    release_hold  erase
none             -          -              -         -          -             -
t_pending        paid       paid           disowned  unapplied  .             x
t_paid           suspended  suspended      disowned  unapplied  .             erased
t_failed         paid       paid           disowned  unapplied  .             erased
t_cancelled      paid       paid           disowned  unapplied  .             erased
t_refunded       suspended  suspended      disowned  unapplied  .             erased
unchosen         suspended  suspended      disowned  unapplied  .             x
creating         paid       paid           disowned  unapplied  .             x
creating_cancel  paid       paid           disowned  unapplied  .             x
creating_expiry  paid       paid           disowned  unapplied  .             x
charging         paid       paid           disowned  unapplied  .             x
open             paid       paid           disowned  unapplied  .             x
cancel_asked     paid       paid           disowned  unapplied  .             x
expiry_asked     paid       paid           disowned  unapplied  .             x
switch_asked     paid       paid           disowned  unapplied  .             x
paid             .          suspended      disowned  reversed   released      erased
refund_asked     .          suspended      disowned  reversed   released      x
refund_manual    .          suspended      disowned  reversed   released      x
refunded         .          suspended      disowned  unapplied  .             erased
failed           paid       paid           disowned  unapplied  .             erased
cancelled        paid       paid           disowned  unapplied  .             erased
reversed         .          suspended      disowned  .          .             erased
`,
  // Refunds.
  `
                 refund       refund_succeeded  refund_failed  refund_manual  refund_unknown  complete_refund  fail_refund  record_refund
none             -            -                 -              -              -               -                -            -
t_pending        x            -r                -r             -r             -r              -r               -r           x
t_paid           refunded     -r                -r             -r             -r              -r               -r           recorded
t_failed         x            -r                -r             -r             -r              -r               -r           x
t_cancelled      x            -r                -r             -r             -r              -r               -r           x
t_refunded       =            .                 .              .              .               x                x            x
unchosen         x            -r                -r             -r             -r              -r               -r           x
creating         x            -r                -r             -r             -r              -r               -r           x
creating_cancel  x            -r                -r             -r             -r              -r               -r           x
creating_expiry  x            -r                -r             -r             -r              -r               -r           x
charging         x            -r                -r             -r             -r              -r               -r           x
open             x            -r                -r             -r             -r              -r               -r           x
cancel_asked     x            -r                -r             -r             -r              -r               -r           x
expiry_asked     x            -r                -r             -r             -r              -r               -r           x
switch_asked     x            -r                -r             -r             -r              -r               -r           x
paid             w:submitted  -r                -r             -r             -r              -r               -r           recorded
refund_asked     w            succeeded         lost           manual         pending         x                x            much
refund_manual    =            succeeded         .              .              .               succeeded        lost         much
refunded         =            .                 .              .              .               .                x            x
failed           x            -r                -r             -r             -r              -r               -r           x
cancelled        x            -r                -r             -r             -r              -r               -r           x
reversed         x            -r                -r             -r             -r              -r               -r           x
`,
];
