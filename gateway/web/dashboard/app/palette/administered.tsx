// Entries of the command palette for administrators: merchants by name or by the e-mail address of a user, and a merchant or
// a transaction by its id.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { VerificationBadge } from '@dashboard/areas/operators/merchants/verification-badge.js';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { ApiFailure, unwrap } from '@dashboard/shared/api/failure.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { findNotice, type Found, MIN_CHARACTERS, type PaletteEntry } from './entries.js';
import classes from './palette.module.css';
import { PALETTE_TEXTS } from './texts.js';

type Merchant = AdministratorSchema['Merchant'];
type Transaction = AdministratorSchema['Transaction'];

const MAX_MERCHANTS = 5;
const NOT_FOUND = 404;
const MERCHANT_ID = /^mer_[0-9a-z]{26}$/;
const PAYMENT_ID = /^pay_[0-9a-z]{26}$/;

interface Administered {
  readonly merchants: readonly Merchant[];
  readonly transactions: readonly Transaction[];
}

async function findMerchant(id: string): Promise<readonly Merchant[]> {
  try {
    const params = { path: { merchant_id: id } };
    return [(await unwrap(adminApi.GET('/v1/admin/merchants/{merchant_id}', { params }))).merchant];
  } catch (error) {
    if (error instanceof ApiFailure && error.status === NOT_FOUND) return [];
    throw error;
  }
}

async function find(words: string): Promise<Administered> {
  if (PAYMENT_ID.test(words)) {
    const params = { query: { payment_id: words } };
    const { data } = await unwrap(adminApi.GET('/v1/admin/transactions', { params }));
    return { merchants: [], transactions: data };
  }
  if (MERCHANT_ID.test(words)) return { merchants: await findMerchant(words), transactions: [] };
  const params = { query: { search: words, limit: MAX_MERCHANTS } };
  const { data } = await unwrap(adminApi.GET('/v1/admin/merchants', { params }));
  return { merchants: data, transactions: [] };
}

export function useAdministered(query: string): Found {
  const texts = useTexts(PALETTE_TEXTS);
  const navigate = useNavigate();
  const isSearching = useCan()('read_administration') && query.length >= MIN_CHARACTERS;
  const { data, error } = useQuery({
    queryKey: ['admin', 'palette', query],
    queryFn: () => find(query),
    enabled: isSearching,
    placeholderData: keepPreviousData,
  });
  const name = texts.administered;
  if (!isSearching) return { name, entries: [] };
  if (error !== null) return { name, entries: [], notice: findNotice(error, texts.failed) };
  const merchants = (data?.merchants ?? []).map((merchant): PaletteEntry => ({
    key: merchant.id,
    content: (
      <>
        <span className={classes.main}>{merchant.business_name}</span>
        <VerificationBadge status={merchant.verificationStatus} />
      </>
    ),
    open: () =>
      void navigate({ to: '/admin/merchants/$merchantId', params: { merchantId: merchant.id } }),
  }));
  const transactions = (data?.transactions ?? []).map(({ id, ...of }): PaletteEntry => ({
    key: id,
    content: (
      <>
        <Money minor={of.amount} currency={of.currency} />
        <span className={classes.main}>{of.reference_id ?? id}</span>
        <StatusBadge status={of.status} />
      </>
    ),
    open: () => void navigate({ to: '/admin/transactions/$paymentId', params: { paymentId: id } }),
  }));
  return { name, entries: [...merchants, ...transactions] };
}
