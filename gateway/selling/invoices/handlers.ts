// Invoices of a merchant. The total is computed here, in minor units; Postgres assigns the numbers.
import { makeId } from '#actors/core/ids.js';
import { isMerchantBlocked } from '#actors/core/rails/live-gate.js';
import { canTakePayments } from '#store/postgres/links-and-invoices/link-uses.js';
import { findInvoiceToPay } from '#store/postgres/links-and-invoices/invoice-payments.js';
import {
  changeInvoice as storeChange,
  createInvoice,
  finalizeInvoice as storeFinal,
  findInvoice,
  type InvoiceKey,
  voidInvoice as storeVoid,
} from '#store/postgres/links-and-invoices/invoices.js';
import { sendCommand } from '#gateway/money/payments/handlers.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import { UNVERIFIED, type MerchantRequest } from '#gateway/routing/session-route.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { ChangeInvoiceRequest, CreateInvoiceRequest } from './schema.js';
import {
  answerWith,
  buildKey,
  type InvoiceDeps,
  type InvoiceParams,
  MISSING,
  viewInvoice,
} from './invoice-answers.js';
import { buildMailLimitError, composeInvoiceMail, readWait } from './invoice-mails.js';
import { readChange, readTerms } from './invoice-terms.js';

/** Each concurrent change of the draft costs one more read. */
const TRIES = 3;
const BUSY = buildApiError('state_conflict', { message: 'The draft is being changed. Try again.' });

/** 200; another merchant's id returns 404. */
export async function showInvoice(
  deps: InvoiceDeps,
  request: MerchantRequest<InvoiceParams>,
): Promise<Answer> {
  return answerWith(deps, buildKey(request));
}

/** 201 with the draft. A LIVE invoice requires that the merchant takes LIVE payments. */
export async function makeInvoice(
  deps: InvoiceDeps,
  request: MerchantRequest<NoParams, CreateInvoiceRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const actor = buildActor(request);
  const terms = readTerms(body);
  if ('code' in terms) return terms;
  const { merchantId } = session;
  const { environment } = body;
  const takesPayments = await canTakePayments(deps.accounts, merchantId, environment);
  if (isMerchantBlocked({ environment, takesPayments })) return buildApiError('live_not_enabled');
  const invoice = { ...terms, id: makeId('inv', generateIdBytes()), merchantId, environment };
  const [made] = await createInvoice(deps.accounts, actor, invoice);
  if (made === undefined) throw new Error(`invoice ${invoice.id} was not inserted`);
  return reply(201, JSON.stringify(viewInvoice(deps, made)));
}

/** 200 with the changed draft; 409 after it was finalized. */
export async function changeInvoice(
  deps: InvoiceDeps,
  request: MerchantRequest<InvoiceParams, ChangeInvoiceRequest>,
): Promise<Answer> {
  const key = buildKey(request);
  const actor = buildActor(request);
  const change = readChange(request.body);
  if ('code' in change) return change;
  const [changed] = await storeChange(deps.accounts, actor, key, change);
  if (changed !== undefined) return reply(200, JSON.stringify(viewInvoice(deps, changed)));
  const [found] = await findInvoice(deps.accounts, key);
  return found === undefined
    ? MISSING
    : buildApiError('state_conflict', { currentStatus: found.status, requiredStatus: 'draft' });
}

/** 200 with the number. The same statement writes the mail to the customer, if it may have one (`mail_note`). */
export async function finalizeInvoice(
  deps: InvoiceDeps,
  request: MerchantRequest<InvoiceParams>,
): Promise<Answer> {
  const key = buildKey(request);
  const actor = buildActor(request);
  for (let time = 0; time < TRIES; time += 1) {
    const [draft] = await findInvoice(deps.accounts, key);
    if (draft === undefined) return MISSING;
    if (draft.customerEmail !== null && !request.session.isVerified) return UNVERIFIED;
    const mail = draft.isMailable ? await composeInvoiceMail(deps, draft, 'invoice') : null;
    const result = await storeFinal(deps.accounts, actor, draft, mail);
    if (result === 'changed') continue;
    if (result === 'missing') return MISSING;
    const retryAfterSeconds = readWait(result, 'wait');
    if (retryAfterSeconds !== undefined) return buildMailLimitError(retryAfterSeconds);
    if (result !== 'done')
      return buildApiError('state_conflict', { currentStatus: result, requiredStatus: 'draft' });
    if (mail !== null) deps.nudgeMailer();
    return answerWith(deps, key);
  }
  return BUSY;
}

/** 200. An open payment is cancelled too; if the customer pays it nevertheless, the money becomes an operator task. */
export async function voidInvoice(
  deps: InvoiceDeps,
  request: MerchantRequest<InvoiceParams>,
): Promise<Answer> {
  const key = buildKey(request);
  const actor = buildActor(request);
  const result = await storeVoid(deps.accounts, actor, key);
  if (result === 'missing') return MISSING;
  if (result !== 'done') {
    return buildApiError('state_conflict', {
      currentStatus: result,
      requiredStatus: 'draft or open',
    });
  }
  await cancelOpenPayment(deps, key);
  return answerWith(deps, key);
}

async function cancelOpenPayment(deps: InvoiceDeps, { id }: InvoiceKey): Promise<void> {
  const [invoice] = await findInvoiceToPay(deps.accounts, id);
  const latest = invoice?.latest;
  if (invoice === undefined || !latest) return;
  if (latest.status !== null && !['creating', 'pending'].includes(latest.status)) return;
  const { merchantId, environment } = invoice;
  const { paymentId } = latest;
  await sendCommand(deps, { type: 'cancel', paymentId, merchantId, environment }, (state) =>
    state.status === 'cancelled' ? 'cancelled' : undefined,
  );
}
