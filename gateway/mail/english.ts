// The texts of mails in English.
import type { PayoutFailureCode } from '#actors/core/statuses.js';
import {
  type EndpointFields,
  formatTestMark,
  joinLines,
  joinParagraphs,
  type MailKind,
  type MailText,
  NO_ADMINISTRATOR,
  NO_CHANGE,
  NO_ENDPOINT,
  NO_KEY,
  NO_PAYMENT,
  NO_PAYOUT,
  type PaymentFields,
  type ProtectedChange,
} from './mail-text.js';

const REASONS: Readonly<Record<PayoutFailureCode, string>> = {
  account_invalid: 'The bank account does not exist or is closed',
  rejected_by_bank: 'The bank rejected the transfer',
  bank_unavailable: 'The bank could not be reached',
  processing_failed: 'The transfer could not be processed',
  cancelled: 'It was cancelled',
};

const CHANGES: Readonly<Record<ProtectedChange, string>> = {
  endpoint_added: 'A LIVE webhook endpoint was added',
  endpoint_changed: 'A LIVE webhook endpoint was changed',
  endpoint_switched_on: 'A LIVE webhook endpoint was switched on',
  endpoint_switched_off: 'A LIVE webhook endpoint was switched off',
  endpoint_secret_rotated: 'The secret of a LIVE webhook endpoint was rotated',
  endpoint_deleted: 'A LIVE webhook endpoint was deleted',
  customer_erased: 'The data of a LIVE customer is being erased',
  mails_switched_off: 'Mails to your team or your customers were switched off',
  contact_changed: 'The contact that your customers see was changed',
  key_revoked: 'A LIVE API key was revoked',
  user_invited: 'A person was invited to your account',
  role_changed: 'The role of a person in your account was changed',
  user_removed: 'A person was removed from your account',
};

const explainCode = (code = ''): string =>
  `If the page asks for the code of this mail, paste this one:\n${code}`;

const describeEndpoint = ({ id, environment, host, since }: EndpointFields): string =>
  joinLines(
    ['Endpoint', `${id} (${host})`],
    ['Environment', environment],
    ['Failing since', since],
  );

const describePayment = ({ id, amount, description, method, paidAt }: PaymentFields): string =>
  joinLines(
    ['Amount', amount],
    ['Description', description],
    ['Paid by', method],
    ['Paid on', paidAt],
    ['Payment number', id],
  );

export const ENGLISH: Readonly<Record<MailKind, MailText>> = {
  verify: {
    subject: ({ brand }) => `Confirm your e-mail address at ${brand}`,
    body: ({ brand, link = '', code }) =>
      joinParagraphs(
        `Somebody, hopefully you, registered at ${brand} with this address. Confirm it by opening:`,
        link,
        explainCode(code),
        'You also need the password that you chose. The link is good for 7 days, once. If it was not you, ignore this mail.',
      ),
  },
  known_address: {
    subject: ({ brand }) => `You are registered at ${brand} already`,
    body: ({ brand }) =>
      joinParagraphs(
        `Somebody, hopefully you, tried to register at ${brand} with this address, which is known.`,
        'Log in as usual, or reset your password. If it was not you, ignore this mail.',
      ),
  },
  reset: {
    subject: ({ brand }) => `Reset your ${brand} password`,
    body: ({ link = '', code }) =>
      joinParagraphs(
        'To choose a new password, open:',
        link,
        explainCode(code),
        'The link is good for 1 hour, once. If you did not ask for it, ignore this mail.',
      ),
  },
  invite: {
    subject: ({ brand, businessName = '' }) => `${businessName} invites you to ${brand}`,
    body: ({ brand, businessName = '', link = '', code }) =>
      joinParagraphs(
        `${businessName} invites you to its account at ${brand}. Choose your password at:`,
        link,
        explainCode(code),
        'The link is good for 7 days, once.',
      ),
  },
  invite_known: {
    subject: ({ brand, businessName = '' }) => `${businessName} invites you to ${brand}`,
    body: ({ brand, businessName = '' }) =>
      joinParagraphs(
        `${businessName} invites you to its account at ${brand}, but this address already has an account.`,
        'An address has one account: ask for an invitation to another address, or ignore this mail.',
      ),
  },
  password_changed: {
    subject: ({ brand }) => `Your ${brand} password was changed`,
    body: () =>
      joinParagraphs(
        'Your password was changed just now, and all other sessions have ended.',
        'If it was not you, reset your password at once.',
      ),
  },
  second_factor_changed: {
    subject: ({ brand }) => `The second factor of your ${brand} account was changed`,
    body: () =>
      joinParagraphs(
        'The second factor of your account was set up, removed, or got new recovery codes just now.',
        'If it was not you, reset your password at once.',
      ),
  },
  locked_out: {
    subject: ({ brand }) => `Many failed logins to your ${brand} account`,
    body: () =>
      joinParagraphs(
        'After too many failed attempts to log in, your account is locked for a while.',
        'You can still log in with a browser in which you have logged in before, or after you have chosen a new password with a link by e-mail.',
        'If it was not you, nobody guessed your password. Set up a second factor if you have none.',
      ),
  },
  key_made: {
    subject: ({ businessName = '', key = NO_KEY }) =>
      `New ${key.environment} API key of ${businessName}`,
    body: ({ brand, businessName = '', key = NO_KEY, link = '' }) =>
      joinParagraphs(
        `A new API key was made for ${businessName} at ${brand}:`,
        `Key: ${key.id}\nEnvironment: ${key.environment}\nScopes: ${key.scopes.join(', ')}`,
        `Made by: ${key.maker}\nIP address: ${key.address}`,
        'If you do not recognise it, revoke the key and change the password of the user who made it:',
        link,
      ),
  },
  administrator_changed: {
    subject: ({ brand }) => `The administrators of ${brand} have changed`,
    body: ({ administrator: { actor, target, change, role } = NO_ADMINISTRATOR }) => {
      const changes = {
        created: `was created as an administrator with the role ${role}`,
        role: `was given the role ${role}`,
        disabled: 'was disabled',
        enabled: 'was enabled again',
      };
      return joinParagraphs(
        `${target} ${changes[change]} by ${actor ?? 'an operator with the command kasir admin'}.`,
        'If this is not right, disable the administrator and read the audit log.',
      );
    },
  },
  protected_change: {
    subject: ({ businessName = '', protectedChange: { change } = NO_CHANGE }) =>
      `${CHANGES[change]} (${businessName})`,
    body: ({ brand, businessName = '', link = '', protectedChange = NO_CHANGE }) =>
      joinParagraphs(
        `${CHANGES[protectedChange.change]}. The account is that of ${businessName} at ${brand}.`,
        joinLines(
          ['Changed', protectedChange.subject],
          ['Made by', protectedChange.maker ?? brand],
          ['IP address', protectedChange.address],
        ),
        'If you do not recognise it, undo it and change the password of the user who made it:',
        link,
      ),
  },
  kyc_approved: {
    subject: ({ brand }) => `Your verification at ${brand} is approved`,
    body: ({ businessName = '' }) =>
      joinParagraphs(`The verification of ${businessName} is approved.`),
  },
  kyc_rejected: {
    subject: ({ brand }) => `Your verification at ${brand} needs a correction`,
    body: ({ businessName = '' }) =>
      joinParagraphs(
        `The verification of ${businessName} was not approved yet. Your dashboard says why.`,
      ),
  },
  invoice: {
    subject: ({ businessName = '', invoice }) =>
      `${formatTestMark(invoice)}Invoice {number} from ${businessName}`,
    body: ({ businessName = '', link = '', invoice }) =>
      joinParagraphs(
        `${businessName} sends you the invoice {number} of ${invoice?.total ?? ''}.`,
        ...(invoice?.due ? [`Due: ${invoice.due}.`] : []),
        ...(invoice?.isTest === true ? ['This is a test: no money moves.'] : []),
        'See the details and pay at:',
        link,
        `If you do not know ${businessName}, ignore this mail.`,
      ),
  },
  invoice_reminder: {
    subject: ({ businessName = '', invoice }) =>
      `${formatTestMark(invoice)}Reminder: invoice {number} from ${businessName}`,
    body: ({ businessName = '', link = '', invoice }) =>
      joinParagraphs(
        `${businessName} reminds you of the invoice {number} of ${invoice?.total ?? ''}, which is not paid yet.`,
        ...(invoice?.due ? [`${invoice.isOverdue ? 'It was due' : 'Due'}: ${invoice.due}.`] : []),
        ...(invoice?.isTest === true ? ['This is a test: no money moves.'] : []),
        'See the details and pay at:',
        link,
        `If you have paid it meanwhile, or do not know ${businessName}, ignore this mail.`,
      ),
  },
  endpoint_failing: {
    subject: ({ businessName = '', endpoint = NO_ENDPOINT }) =>
      `Your webhook endpoint ${endpoint.host} is failing (${businessName})`,
    body: ({ brand, businessName = '', endpoint = NO_ENDPOINT }) =>
      joinParagraphs(
        `Every delivery of ${brand} to a webhook endpoint of ${businessName} has failed for an hour or more:`,
        describeEndpoint(endpoint),
        'Deliveries are repeated, so that nothing is lost once it works again. After five days without a success the endpoint is switched off.',
        'Your dashboard shows the answers of your server.',
      ),
  },
  endpoint_disabled: {
    subject: ({ businessName = '', endpoint = NO_ENDPOINT }) =>
      `Your webhook endpoint ${endpoint.host} was switched off (${businessName})`,
    body: ({ brand, businessName = '', endpoint = NO_ENDPOINT }) =>
      joinParagraphs(
        `Every delivery of ${brand} to a webhook endpoint of ${businessName} failed for five days, so that it was switched off:`,
        describeEndpoint(endpoint),
        'It gets no new events. Correct your server, switch the endpoint on in your dashboard, and replay the dead letters, which are kept for 30 days.',
      ),
  },
  payment_received: {
    subject: ({ businessName = '', payment = NO_PAYMENT }) =>
      `${formatTestMark(payment)}${businessName} received ${payment.amount}`,
    body: ({ brand, businessName = '', payment = NO_PAYMENT }) =>
      joinParagraphs(
        `${businessName} received a payment at ${brand}:`,
        describePayment(payment),
        ...(payment.isTest ? ['This is a test: no money moved.'] : []),
        'You can switch these mails off in your settings.',
      ),
  },
  charged_back: {
    subject: ({ businessName = '', payment = NO_PAYMENT, chargedBack = '' }) =>
      `${formatTestMark(payment)}A bank took back ${chargedBack} (${businessName})`,
    body: ({ brand, businessName = '', payment = NO_PAYMENT, chargedBack = '' }) =>
      joinParagraphs(
        `The bank of a customer took back ${chargedBack} of a payment to ${businessName} at ${brand} (a chargeback). It was deducted from your balance:`,
        describePayment(payment),
        ...(payment.isTest ? ['This is a test: no money moved.'] : []),
        'If the goods are not sent yet, stop the delivery. Ask your customer what happened.',
      ),
  },
  payout_failed: {
    subject: ({ businessName = '', payout = NO_PAYOUT }) =>
      `${formatTestMark(payout)}A payout of ${payout.amount} ${payout.isReversed ? 'came back' : 'failed'} (${businessName})`,
    body: ({ brand, businessName = '', payout = NO_PAYOUT }) =>
      joinParagraphs(
        payout.isReversed
          ? `The bank sent back the money of a payout of ${businessName} at ${brand}. It is in your available balance again:`
          : `A payout of ${businessName} at ${brand} failed. Its amount is in your available balance again:`,
        joinLines(
          ['Payout', payout.id],
          ['Amount', payout.amount],
          [
            'Bank account',
            `${payout.bank}${payout.lastFour === '' ? '' : ` ****${payout.lastFour}`}`,
          ],
          ['Your reference', payout.referenceId],
          ['Reason', payout.reason === null ? null : REASONS[payout.reason]],
        ),
        ...(payout.isTest ? ['This is a test: no money moved.'] : []),
        'Check the bank account before you try again.',
      ),
  },
  receipt: {
    subject: ({ businessName = '', payment = NO_PAYMENT }) =>
      `${formatTestMark(payment)}Receipt from ${businessName}: ${payment.amount}`,
    body: ({ businessName = '', link = '', payment = NO_PAYMENT }) =>
      joinParagraphs(
        `${businessName} has received your payment. Thank you.`,
        describePayment(payment),
        ...(payment.isTest ? ['This is a test: no money moved.'] : []),
        'See the payment at:',
        link,
        ...(payment.contacts.length === 0
          ? []
          : [`Questions? Contact ${businessName}:\n${payment.contacts.join('\n')}`]),
        `If you do not know ${businessName}, ignore this mail.`,
      ),
  },
};
