// The names of payment methods. A method without a name of its own is shown as the API sends it.
import type { MerchantSchema } from '../api/client.js';
import { useTexts } from './language.js';

type Method = NonNullable<MerchantSchema['Payment']['payment_method']>;

const en: Readonly<Record<Method, string>> = {
  QRIS: 'QRIS',
  VA: 'Virtual account, any bank',
  VA_BCA: 'BCA virtual account',
  VA_BNI: 'BNI virtual account',
  VA_BRI: 'BRI virtual account',
  VA_MANDIRI: 'Mandiri virtual account',
  VA_PERMATA: 'Permata virtual account',
};

const id: Readonly<Record<Method, string>> = {
  QRIS: 'QRIS',
  VA: 'Virtual account, bank apa saja',
  VA_BCA: 'Virtual account BCA',
  VA_BNI: 'Virtual account BNI',
  VA_BRI: 'Virtual account BRI',
  VA_MANDIRI: 'Virtual account Mandiri',
  VA_PERMATA: 'Virtual account Permata',
};

const METHOD_NAMES: Readonly<Record<'en' | 'id', Readonly<Record<string, string>>>> = { en, id };

/** null: the customer has not chosen yet. */
export function useMethodName(): (method: string | null) => string {
  const names = useTexts(METHOD_NAMES);
  return (method) => (method === null ? '—' : (names[method] ?? method));
}

/** For a filter, in the order of listings. */
export function useMethodChoices(): readonly { readonly value: string; readonly label: string }[] {
  const names = useTexts(METHOD_NAMES);
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}
