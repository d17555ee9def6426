// Entries of the command palette: views of the navigation, and payments of the merchant (administered.tsx has those of
// administrators).
import { Kbd } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { ApiFailure, unwrap } from '@dashboard/shared/api/failure.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useCan, useSession } from '@dashboard/shared/session/session.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { useNavigation } from '../navigation/navigation.js';
import { areShortcutsOn } from '../shortcuts/character-keys.js';
import classes from './palette.module.css';
import { PALETTE_TEXTS } from './texts.js';

const ICON_SIZE = 18;
const MAX_PAYMENTS = 5;
export const MIN_CHARACTERS = 2;

export interface PaletteEntry {
  readonly key: string;
  readonly content: ReactNode;
  readonly open: () => void;
}

/** The views that the role may see and the words name. */
export function useViews(query: string): readonly PaletteEntry[] {
  const { language } = useLanguage();
  const navigate = useNavigate();
  const words = query.toLowerCase().split(/\s+/);
  return useNavigation()
    .filter(({ name }) => words.every((word) => name[language].toLowerCase().includes(word)))
    .map(({ to, name, letter, icon: Icon }) => ({
      key: to,
      content: (
        <>
          <Icon size={ICON_SIZE} aria-hidden />
          <span className={classes.main}>{name[language]}</span>
          {areShortcutsOn() && (
            <Kbd size="xs" visibleFrom="sm" aria-hidden>
              g {letter}
            </Kbd>
          )}
        </>
      ),
      open: () => void navigate({ to }),
    }));
}

export interface Found {
  /** Names the group of the entries. */
  readonly name: string;
  readonly entries: readonly PaletteEntry[];
  /** Why there are none. */
  readonly notice?: string;
}

/** The newest payments with the words, and the list of all of them. */
export function usePayments(query: string): Found {
  const texts = useTexts(PALETTE_TEXTS);
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { merchant } = useSession();
  const isSearching =
    useCan()('read_payments') && merchant !== null && query.length >= MIN_CHARACTERS;
  const params = { query: { q: query, environment, limit: MAX_PAYMENTS } };
  const { data, error } = useQuery({
    queryKey: ['payments', 'palette', params],
    queryFn: () => unwrap(api.GET('/v1/merchants/me/payments', { params })),
    enabled: isSearching,
    placeholderData: keepPreviousData,
  });
  const name = texts.payments;
  if (!isSearching) return { name, entries: [] };
  if (error !== null) return { name, entries: [], notice: findNotice(error, texts.failed) };
  const found = data?.data ?? [];
  if (found.length === 0) return { name, entries: [] };
  const payments = found.map((payment) => ({
    key: payment.id,
    content: <PaymentLine payment={payment} />,
    open: () => void navigate({ to: '/payments/$paymentId', params: { paymentId: payment.id } }),
  }));
  const all = {
    key: 'all',
    content: <span className={classes.main}>{texts.all(query)}</span>,
    open: () => void navigate({ to: '/payments', search: { q: query } }),
  };
  return { name, entries: [...payments, all] };
}

/** The API says why it refuses words. */
export const findNotice = (error: Error, failed: string): string =>
  error instanceof ApiFailure ? error.message : failed;

function PaymentLine({ payment }: { readonly payment: MerchantSchema['Payment'] }): ReactNode {
  const { amount, currency, customer_name: name, reference_id: reference, status, id } = payment;
  return (
    <>
      <Money minor={amount} currency={currency} />
      <span className={classes.main}>
        {[name, reference].filter((text) => text !== null).join(' · ') || id}
      </span>
      <StatusBadge status={status} />
    </>
  );
}
