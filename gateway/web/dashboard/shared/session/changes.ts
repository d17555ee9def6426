// Loads again what a page shows when payments or payouts have changed. Views poll too: a stream may be missing, and not
// everything is told. A hidden page has no stream, since a browser opens six connections to a host without HTTP/2.
import { useDocumentVisibility } from '@mantine/hooks';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Environment } from './environment.js';

/** The first parts of query keys whose answers follow from payments and payouts. */
const FOLLOWED: ReadonlySet<unknown> = new Set([
  ...['payments', 'payment', 'payment-events', 'payment-refunds', 'payment-deliveries'],
  ...['refunds', 'refund', 'payouts', 'payout', 'balance', 'statistics', 'attention'],
  ...['invoices', 'invoice', 'payment-links', 'payment-link'],
]);
const ID = /^(?:pay|po)_/;

/** `ids` null: all of them. A query of another payment is not affected. */
function isAffected({ queryKey }: Query, ids: ReadonlySet<unknown> | null): boolean {
  if (!FOLLOWED.has(queryKey[0])) return false;
  const own = queryKey.filter((part) => typeof part === 'string' && ID.test(part));
  return ids === null || own.length === 0 || own.some((id) => ids.has(id));
}

export function useChanges(environment: Environment, isOn: boolean): void {
  const client = useQueryClient();
  const isVisible = useDocumentVisibility() === 'visible';
  useEffect(() => {
    if (!isOn || !isVisible) return;
    const source = new EventSource(`/v1/merchants/me/changes?environment=${environment}`);
    const reload = (ids: ReadonlySet<unknown> | null): void => {
      void client.invalidateQueries({ predicate: (query) => isAffected(query, ids) });
    };
    source.addEventListener('ready', () => {
      reload(null);
    });
    source.addEventListener('changes', ({ data }: MessageEvent<string>) => {
      const { ids } = JSON.parse(data) as { readonly ids: readonly string[] | null };
      reload(ids === null ? null : new Set(ids));
    });
    return () => {
      source.close();
    };
  }, [client, environment, isOn, isVisible]);
}
