// The mails of a notice: to users of the merchant whose role the fact concerns, or to the customer. A fact that does not
// hold any more, such as a payment whose customer was erased, has none.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { PaymentState } from '#actors/core/payment/state.js';
import { findShownOrderId } from '#actors/core/payment/view.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { PAYOUT_FAILURE_CODES, type PayoutFailureCode } from '#actors/core/statuses.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import {
  findInvoiceLanguage,
  findNoticedPayout,
  listRecipients,
  mayMailCustomer,
  type MerchantNoticeKind,
  type Notice,
} from '#store/postgres/accounts/notices.js';
import type { Postgres } from '#store/postgres/client.js';
import { findStorefront } from '#store/postgres/merchants/settings.js';
import { loadSnapshots } from '#store/postgres/payments/load-payments.js';
import { formatDeadline, formatRupiah } from '../pages/format.js';
import { NO_STOREFRONT } from '../selling/checkout/storefronts.js';
import { nameMethod, TEXTS } from '../selling/checkout/texts.js';
import { type Compose, disarm, type MailInput } from '../mail/compose.js';
import type { EndpointFields, PaymentFields, PayoutFields } from '../mail/mail-text.js';
import { chooseMailName } from '../mail/merchant-name.js';
import type { MailLanguage } from '../mail/texts.js';

export interface NoticeMailDeps {
  readonly sql: Postgres;
  readonly compose: Compose;
}

const ROLES: Readonly<Record<MerchantNoticeKind, readonly string[]>> = {
  endpoint_failing: ['owner', 'developer'],
  endpoint_disabled: ['owner', 'developer'],
  payment_received: ['owner', 'finance'],
  payout_failed: ['owner', 'finance'],
  charged_back: ['owner', 'finance'],
  kyc_decided: ['owner', 'finance'],
};

const compile = TypeCompiler.Compile;
const Endpoint = compile(
  Type.Object({
    endpoint: Type.String(),
    environment: Type.String(),
    url: Type.String(),
    since: Type.String(),
  }),
);
const Payout = compile(
  Type.Object({
    payout: Type.String(),
    status: Type.String(),
    reason: Type.Union([Type.String(), Type.Null()]),
  }),
);
const Chargeback = compile(Type.Object({ payment: Type.String(), refund: Type.String() }));
const Decision = compile(Type.Object({ status: Type.String() }));

/** A mail without its recipient; undefined: there is nothing to tell. */
type Draft = Omit<MailInput, 'recipient' | 'language'> | undefined;

/** @throws when a store query fails, or when the details are not those of the kind */
export async function composeNotice(deps: NoticeMailDeps, notice: Notice): Promise<Mail[]> {
  const { kind } = notice;
  if (kind === 'receipt') return composeReceipt(deps, notice);
  const recipients = await listRecipients(deps.sql, notice.merchantId, ROLES[kind]);
  const businessName = chooseMailName(await findStorefront(deps.sql, notice.merchantId));
  const mails: Mail[] = [];
  for (const { email: recipient, language } of recipients) {
    const draft = await buildDraft(deps, { ...notice, kind }, language === 'en' ? 'en' : 'id');
    if (draft === undefined) return [];
    mails.push(deps.compose({ businessName, ...draft, recipient, language }));
  }
  return mails;
}

async function buildDraft(
  { sql }: NoticeMailDeps,
  { kind, fact, details }: Notice & { readonly kind: MerchantNoticeKind },
  language: MailLanguage,
): Promise<Draft> {
  const json: unknown = JSON.parse(details);
  switch (kind) {
    case 'endpoint_failing':
    case 'endpoint_disabled':
      return { kind, endpoint: readEndpoint(json, language) };
    case 'payout_failed':
      return { kind, payout: await readPayout(sql, json) };
    case 'charged_back':
      return readChargeback(sql, json, language);
    case 'kyc_decided': {
      if (!Decision.Check(json)) throw new Error('kyc_decided needs a status');
      return { kind: json.status === 'APPROVED' ? 'kyc_approved' : 'kyc_rejected' };
    }
    case 'payment_received': {
      const state = await loadPaid(sql, fact);
      if (state === undefined) return undefined;
      return { kind, payment: describePayment(state, language, []) };
    }
    default:
      return kind satisfies never;
  }
}

function readEndpoint(details: unknown, language: MailLanguage): EndpointFields {
  if (!Endpoint.Check(details)) throw new Error('an endpoint needs its id, url and time');
  const { endpoint: id, environment, url, since } = details;
  const time = formatDeadline(Date.parse(since), TEXTS[language].locale);
  return { id, environment, host: new URL(url).host, since: time };
}

async function readPayout(sql: Postgres, details: unknown): Promise<PayoutFields> {
  if (!Payout.Check(details)) throw new Error('a payout needs its id and status');
  const { payout: id, status, reason } = details;
  const [row] = await findNoticedPayout(sql, id);
  if (row === undefined) throw new Error(`there is no payout ${id}`);
  return {
    id,
    amount: formatRupiah(row.amount),
    bank: row.bankCode,
    lastFour: row.lastFour,
    referenceId: row.referenceId === null ? null : disarm(row.referenceId),
    reason: isFailureCode(reason) ? reason : null,
    isReversed: status === 'REVERSED',
    isTest: row.environment === 'TEST',
  };
}

async function readChargeback(
  sql: Postgres,
  details: unknown,
  language: MailLanguage,
): Promise<Draft> {
  if (!Chargeback.Check(details)) throw new Error('a chargeback needs its payment and refund');
  const state = await loadPaid(sql, details.payment);
  const refund = state?.refunds.find(({ id }) => id === details.refund);
  if (state === undefined || refund === undefined) return undefined;
  const chargedBack = formatRupiah(String(refund.amountMinor));
  return { kind: 'charged_back', payment: describePayment(state, language, []), chargedBack };
}

const isFailureCode = (text: string | null): text is PayoutFailureCode =>
  PAYOUT_FAILURE_CODES.some((code) => code === text);

/** Once per payment. In TEST only users of the merchant get one, since anybody may make TEST payments to any address. */
async function composeReceipt(deps: NoticeMailDeps, notice: Notice): Promise<Mail[]> {
  const { sql, compose } = deps;
  const state = await loadPaid(sql, notice.fact);
  const recipient = state?.request.customerEmail ?? null;
  if (state === undefined || recipient === null) return [];
  const { merchantId } = notice;
  const customer = { environment: state.environment, email: recipient };
  if (!(await mayMailCustomer(sql, merchantId, customer))) return [];
  const storefront = await findStorefront(sql, merchantId);
  const [invoice] = await findInvoiceLanguage(sql, state.id);
  const language = (invoice?.language ?? storefront?.receiptLanguage) === 'en' ? 'en' : 'id';
  const businessName = chooseMailName(storefront);
  const shown = storefront ?? NO_STOREFRONT;
  const contacts = [shown.supportEmail, shown.supportPhone, shown.supportUrl].filter(
    (text) => text !== null,
  );
  const payment = describePayment(state, language, contacts);
  const path = `/checkout/${state.id}`;
  return [compose({ kind: 'receipt', recipient, language, businessName, path, payment })];
}

/** Undefined: the rail has taken the money back. */
async function loadPaid(sql: Postgres, id: string): Promise<PaymentState | undefined> {
  const snapshot = (await loadSnapshots(sql, [id])).get(id);
  const state = snapshot === undefined ? undefined : decodeSnapshot(snapshot);
  return state?.status === 'paid' || state?.status === 'refunded' ? state : undefined;
}

function describePayment(
  state: PaymentState,
  language: MailLanguage,
  contacts: readonly string[],
): PaymentFields {
  const { request, environment, paidAtMs, attempts } = state;
  const orderId = findShownOrderId(state);
  const method = attempts.find((attempt) => attempt.orderId === orderId)?.method ?? null;
  return {
    id: state.id,
    amount: formatRupiah(String(request.amountMinor)),
    description: request.description === null ? null : disarm(request.description),
    method: method === null ? '' : nameMethod(method),
    paidAt: paidAtMs === null ? '' : formatDeadline(paidAtMs, TEXTS[language].locale),
    isTest: environment === 'TEST',
    contacts,
  };
}
