// Texts of the area home.
export const en = {
  home: 'Home',
  today: 'Paid today',
  todayHelp: (count: string, isOne: boolean) => (isOne ? '1 payment' : `${count} payments`),
  success: 'Success rate today',
  successHelp: (paid: string, ended: string) => `${paid} of ${ended} were paid`,
  nothingEnded: 'No payment has ended yet',
  pending: 'Waiting to be paid',
  atLeast: (count: string) => `At least ${count} payments`,
  balance: 'Available balance',
  balanceHelp: 'Can be paid out now',
  attention: 'Needs your attention',
  allWell: 'Nothing needs your attention.',
  deadLetters: (count: string, isOne: boolean) =>
    isOne
      ? '1 webhook could not be delivered and is not tried again.'
      : `${count} webhooks could not be delivered and are not tried again.`,
  failingEndpoints: (count: string, isOne: boolean) =>
    isOne
      ? '1 webhook endpoint does not accept what is sent to it.'
      : `${count} webhook endpoints do not accept what is sent to them.`,
  chargedBack: (count: string, isOne: boolean) =>
    isOne
      ? 'A bank took back the money of 1 payment (chargeback).'
      : `Banks took back the money of ${count} payments (chargebacks).`,
  paidLate: (count: string, isOne: boolean) =>
    isOne
      ? '1 payment was paid after it had ended.'
      : `${count} payments were paid after they had ended.`,
  goingLive: {
    address_unconfirmed: 'Your e-mail address is not confirmed.',
    verification_missing: 'The verification of your business is not sent yet.',
    verification_pending: 'The verification of your business is being checked.',
    verification_rejected: 'The verification of your business needs a correction.',
    live_stopped: 'An administrator has stopped LIVE payments.',
    live_off: 'LIVE is off. An administrator switches it on.',
    key_missing: 'You have no LIVE key.',
    endpoint_missing: 'You have no active LIVE webhook endpoint.',
  },
  welcomeLive: 'No LIVE payments yet',
  nextStep: 'Go to the next step',
  manualRefunds: (count: string, isOne: boolean) =>
    isOne ? '1 refund is being paid by hand.' : `${count} refunds are being paid by hand.`,
  negative: (amount: string) =>
    `Your available balance is ${amount}. Payouts are possible when it is above zero again.`,
  look: 'Look at it',
  overTime: 'Payments over time',
  period: 'Period',
  periods: { day: '24 hours', week: '7 days', month: '30 days' },
  paid: 'Paid',
  waiting: 'Pending',
  failed: 'Failed',
  paidAmount: 'Amount paid',
  rate: 'Success rate',
  time: 'Time',
  day: 'Day',
  sum: 'Total',
  inZone: (zone: string) =>
    `Paid and failed payments are shown at the time of the outcome, pending ones at their creation. Time zone: ${zone}.`,
  incomplete: 'So many payments are pending that some are not counted here.',
  nothingInPeriod: 'No payments in this period.',
  chart: 'Chart',
  table: 'Table',
  welcome: 'No payments yet',
  welcomeHelp: 'Figures appear here with your first payment.',
  firstSteps: 'First steps',
  newLink: 'Create a payment link',
} as const;
