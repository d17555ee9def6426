// Loads again what a page shows when payments, payouts or deliveries have changed. Views poll too: a stream may be missing,
// and not everything is told. A hidden page has no stream, since a browser opens six connections to a host without HTTP/2.
import { useDocumentVisibility } from '@mantine/hooks';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Environment } from './environment.js';

/** After an error, as when a gateway is replaced or the merchant has too many pages open. */
const RETRY_MS = 30_000;

/** The prefix of an id: payments, payouts, and webhook endpoints whose deliveries changed. */
type Kind = 'pay' | 'po' | 'we';

/** The first parts of query keys, and from what their answers follow. */
const FOLLOWED: ReadonlyMap<unknown, readonly Kind[]> = new Map(
  Object.entries({
    payments: ['pay'],
    payment: ['pay'],
    'payment-events': ['pay'],
    'payment-refunds': ['pay'],
    'payment-deliveries': ['pay', 'we'],
    refunds: ['pay'],
    refund: ['pay'],
    payouts: ['po'],
    payout: ['po'],
    balance: ['pay', 'po'],
    statistics: ['pay'],
    attention: ['pay', 'po', 'we'],
    invoices: ['pay'],
    invoice: ['pay'],
    'payment-links': ['pay'],
    'payment-link': ['pay'],
    deliveries: ['we'],
    'merchant-deliveries': ['we'],
    delivery: ['we'],
    'dead-letters': ['we'],
    replay: ['we'],
  } satisfies Record<string, readonly Kind[]>),
);

const isOf = (id: unknown, kind: Kind): id is string =>
  typeof id === 'string' && id.startsWith(`${kind}_`);

/** `ids` null: all of them. A query of another payment, payout or endpoint is not affected. */
function isAffected({ queryKey }: Query, ids: readonly string[] | null): boolean {
  const kinds = FOLLOWED.get(queryKey[0]);
  if (kinds === undefined) return false;
  if (ids === null) return true;
  return kinds.some((kind) => {
    const own = queryKey.filter((part) => isOf(part, kind));
    return ids.some((id) => isOf(id, kind) && (own.length === 0 || own.includes(id)));
  });
}

export function useChanges(environment: Environment, isOn: boolean): void {
  const client = useQueryClient();
  const isVisible = useDocumentVisibility() === 'visible';
  useEffect(() => {
    if (!isOn || !isVisible) return;
    return followChanges(environment, (ids) => {
      void client.invalidateQueries({ predicate: (query) => isAffected(query, ids) });
    });
  }, [client, environment, isOn, isVisible]);
}

/** `EventSource` connects again after a lost connection, but never after an answer that is an error. Returns the end. */
function followChanges(
  environment: Environment,
  reload: (ids: readonly string[] | null) => void,
): () => void {
  let source: EventSource | undefined;
  let timer: number | undefined;
  const connect = (): void => {
    const opened = new EventSource(`/v1/merchants/me/changes?environment=${environment}`);
    source = opened;
    // Each connection begins with it, so that nothing is missed between two of them.
    opened.addEventListener('ready', () => {
      reload(null);
    });
    opened.addEventListener('changes', ({ data }: MessageEvent<string>) => {
      const { ids } = JSON.parse(data) as { readonly ids: readonly string[] | null };
      reload(ids);
    });
    opened.addEventListener('error', () => {
      if (opened.readyState === EventSource.CLOSED) timer = window.setTimeout(connect, RETRY_MS);
    });
  };
  connect();
  return () => {
    source?.close();
    window.clearTimeout(timer);
  };
}
