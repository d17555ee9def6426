// Texts of operator tasks. docs/operator-tasks.md explains each kind and action at length.
export const en = {
  tasks: 'Operator tasks',
  task: 'Operator task',
  what: 'What happened',
  opened: 'Opened',
  resolved: 'Resolved',
  open: 'Open',
  done: 'Resolved',
  liveOnly: 'LIVE',
  noTasks: 'No tasks',
  noTasksHelp: 'A task appears when only a person can decide about money. Nothing is to be done.',
  facts: 'Facts',
  resolution: 'Resolution',
  resolve: 'Resolve',
  resolveTitle: 'Resolve the task',
  choose: 'What is to be done?',
  note: 'Note',
  noteHelp: 'The reason. It is stored with the task and in the audit log.',
  reference: 'Reference of the transfer',
  referenceHelp: 'As your bank or the rail names it.',
  receiver: 'Merchant that receives the money',
  receiverHelp:
    'Find it by name, or give the id of one of its payments below. One of them is needed.',
  receiverPayment: 'Payment of that merchant',
  waits: 'No action is possible now',
  waitsHelp:
    'Its refund or payout is still open: complete or fail it. If that is already decided, repeat it or its approval. This task closes with it.',
  byItself: 'Closed by itself: what it waited for has happened.',
  action: 'Action',
  by: 'By',
  twoPersons: 'This always needs a second administrator.',
  limitHelp:
    'LIVE money above the limit needs a second administrator: the task stays open until then.',
  proposed: 'Proposed: another administrator must approve it',
  kinds: {
    settlement_suspended: 'Money that cannot be booked',
    suspense_reversed: 'Suspended money taken back',
    unknown_order: 'Money for an unknown order',
    unknown_order_unresolved: 'Callback about an unknown order',
    rail_difference: 'Difference with a rail',
    callback_contradicted: 'Callback contradicts the rail',
    callback_unconfirmed: 'Callback is not confirmed',
    instructions_unusable: 'Order that nobody can be shown how to pay',
    settlement_unapplied: 'Transaction booked on another payment',
    reversal_unapplied: 'Reversal of nothing booked',
    refund_manual_required: 'Refund to be paid by hand',
    refund_unresolved: 'Refund without an outcome',
    refund_on_reversed_payment: 'Refund of a payment that was taken back',
    refund_contradicted: 'Refund was made after all',
    attempt_unresolved: 'Attempt without an outcome',
    invoice_paid_twice: 'Invoice paid twice',
    invoice_paid_void: 'Void invoice paid',
    balance_negative: 'Negative balance',
    payout_manual_required: 'Payout to be made by hand',
    payout_unresolved: 'Payout without an outcome',
    payout_not_sent: 'Payout not sent',
    payout_contradicted: 'Payout ended differently',
  },
  causes: {
    settlement_suspended:
      'A payment received money that it cannot book: another amount or currency, a payment that is already paid, or an unknown order. The money is in the suspense account.',
    suspense_reversed:
      'The rail took suspended money back. If the money had already left, the suspense account is short by it.',
    unknown_order:
      'A rail holds money for an order that the service does not know. The money is in the platform’s suspense account.',
    unknown_order_unresolved:
      'A signed callback named an order that the service does not know, and its rail gave no answer about it for five days. No money moved. Ask the rail.',
    rail_difference:
      'The service and the rail disagree about an order, a refund or a payout. No money moved. Look at the payment and at the rail first.',
    callback_contradicted:
      'A callback named another amount or currency than the rail’s own status, which was booked. Ask the rail. If the rail did not send it, its key or token has leaked.',
    callback_unconfirmed:
      'A signed callback reported money, or its loss, and two hours of status inquiries did not find it. No money moved. Ask the rail about the order. If the rail did not send it, its key or token has leaked.',
    instructions_unusable:
      'A rail opened an order with a QR code whose checksum is wrong, or an account number that is none. The service has it closed at the rail, and its attempt then fails. Send the rail the order: its codes cannot be paid.',
    settlement_unapplied:
      'A rail named a transaction for this payment that is already booked on another one. No money moved.',
    reversal_unapplied:
      'A rail took back a transaction that is not booked here, or that was refunded in full. No money moved.',
    refund_manual_required:
      'No rail can make this refund. Pay the customer from your bank account, then complete the refund with the reference of the transfer. That closes the task.',
    refund_unresolved:
      'A rail has not reported the outcome of a refund for six hours. Ask the rail, then complete or fail the refund. Complete it only if the rail made it.',
    refund_on_reversed_payment:
      'The rail took a payment back that was refunded, or was being refunded. The suspense account is short.',
    refund_contradicted:
      'The rail reports a refund as made that was booked as failed. Its amount is no longer refundable. No money moved. Complete or fail the refund, or let the platform or the merchant bear it.',
    attempt_unresolved:
      'A payment failed, and the rail never said whether it had accepted the order. Money may still arrive. The task closes by itself when an inquiry finds out.',
    invoice_paid_twice: 'A paid invoice was paid again. Refund one of the payments, or keep it.',
    invoice_paid_void: 'A void invoice was paid. Refund the payment, or keep it.',
    balance_negative:
      'Refunds, reversals or a debit took the available LIVE balance of a merchant below zero, which blocks its payouts. New payments fill it, or the merchant pays the difference. The task ends by itself at zero.',
    payout_manual_required:
      'No rail makes this payout. Transfer the money, then complete the payout. The task ends with the payout.',
    payout_unresolved:
      'A rail has not reported the outcome of a payout for a day. Ask the rail, then complete or fail the payout. The task ends with the payout.',
    payout_not_sent:
      'A LIVE payout has waited for a day to be sent: payouts or every paying rail are switched off, or its merchant is suspended. The task ends when it is sent or cancelled.',
    payout_contradicted:
      'A rail reported a state of a payout that cannot follow the recorded one. No money moved. Ask the rail and your bank whether it was paid.',
  },
  actions: {
    acknowledge: 'Acknowledge',
    credit: 'Credit the merchant',
    return: 'Record the return to the payer',
    assign: 'Give it to another merchant',
    debit: 'Debit the merchant',
    write_off: 'Write it off',
    match: 'Match it with the return',
    book: 'Book what the rail has',
  },
  effects: {
    acknowledge: 'Closes the task. No money moves.',
    credit: 'The suspended money becomes the merchant’s.',
    return:
      'Records that you paid the money back to its payer from your bank account. Make the transfer first.',
    assign: 'The money becomes another merchant’s. The payment that you name keeps its status.',
    debit:
      'The merchant who had the money bears what the rail took. The balance may fall below zero, which blocks payouts.',
    write_off: 'The platform bears it: the amount goes to the account of fees.',
    match:
      'The rail took back the money that was already returned: it was one payment. Your bank account gets its posting back.',
    book: 'Proposes to book on the payment what the rail has.',
  },
  values: {
    missing: 'Only here',
    orphan: 'Only at the rail',
    differing: 'Differs',
    status: 'Status',
    amount: 'Amount',
    currency: 'Currency',
    refund: 'Refund',
    payout: 'Payout',
    chargeback: 'Chargeback',
    settled: 'Money arrived',
    ended: 'Ended',
    reversed: 'Taken back',
    given_back: 'Given back',
  },
  details: {
    rail: 'Rail',
    amount: 'Amount',
    currency: 'Currency',
    orderId: 'Order at the rail',
    railTransactionId: 'Transaction of the rail',
    refundId: 'Refund',
    payoutId: 'Payout',
    paymentId: 'Payment',
    day: 'Day',
    difference: 'Difference',
    field: 'What differs',
    ours: 'Here',
    theirs: 'At the rail',
    booking: 'To be booked as',
    said: 'The rail said',
    cause: 'Cause',
    reason: 'Reason',
    balance: 'Balance',
    invoiceId: 'Invoice',
    status: 'Status',
    subject: 'About',
  },
} as const;
