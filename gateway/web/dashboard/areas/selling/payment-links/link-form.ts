// The form of a payment link, and the requests of the API that it becomes.
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { readText } from '@dashboard/shared/forms/optional-text.js';
import { readDayEnd, writeDay } from '@dashboard/shared/text/days.js';

export interface LinkForm {
  readonly title: string;
  readonly description: string;
  readonly pricing: 'fixed' | 'chosen';
  readonly amount: string;
  readonly min_amount: string;
  readonly max_amount: string;
  readonly max_uses: string;
  /** The last day. */
  readonly expires_at: string;
  readonly success_url: string;
}

const EMPTY: LinkForm = {
  ...{ title: '', description: '', pricing: 'fixed', amount: '', min_amount: '', max_amount: '' },
  ...{ max_uses: '', expires_at: '', success_url: '' },
};

export function readLinkForm(link: MerchantSchema['PaymentLink'] | null): LinkForm {
  if (link === null) return EMPTY;
  return {
    ...EMPTY,
    title: link.title,
    description: link.description ?? '',
    max_uses: String(link.max_uses ?? ''),
    expires_at: writeDay(link.expires_at),
    success_url: link.success_url ?? '',
  };
}

/** The fields that a new link and a change have in common; null clears a field. `former` is the end so far. */
export const writeChange = (form: LinkForm, former: string | null) => ({
  title: form.title,
  description: readText(form.description),
  max_uses: form.max_uses === '' ? null : Number(form.max_uses),
  expires_at: readDayEnd(form.expires_at, former),
  success_url: readText(form.success_url),
});

/** An empty fixed price is sent as it is, so that the API says what is wrong. */
export function writePrice(form: LinkForm) {
  if (form.pricing === 'fixed') return { amount: form.amount };
  return {
    amount: null,
    min_amount: readText(form.min_amount),
    max_amount: readText(form.max_amount),
  };
}
