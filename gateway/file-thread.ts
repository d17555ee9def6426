// The work of the thread that writes CSV files, a page at a time (lists/csv-download.ts), on a Postgres connection of its own.
import { openPostgres } from '../store/postgres/client.js';
import type { PagePlace } from '../store/postgres/page.js';
import { createLogListing } from './api-logs/handlers.js';
import type { LogsQuery } from './api-logs/schema.js';
import { createInvoiceListing } from './invoices/list.js';
import type { InvoicesQuery } from './invoices/schema.js';
import {
  type FailedPage,
  type FileList,
  type FilePage,
  type FilePageJob,
  writeFilePage,
} from './lists/file-pages.js';
import type { Listing, ListingDeps, Owner } from './lists/listing.js';
import { createLinkListing } from './payment-links/list.js';
import type { LinksQuery } from './payment-links/schema.js';
import { createTransactionListing } from './payments/admin-handlers.js';
import { createEventListing, type EventsQuery } from './payments/events.js';
import { createPaymentListing, type PaymentsQuery } from './payments/list.js';
import { createPayoutListing, type PayoutsQuery } from './payouts/list.js';
import { createRefundListing, type RefundsQuery } from './refunds/list.js';
import type { ApiError } from './routing/response.js';
import { mapStoreFailure } from './routing/store-failures.js';

export interface FileStores {
  readonly databaseUrl: string;
  readonly baseUrl: string;
}

type WritePage = (
  deps: ListingDeps,
  owner: Owner,
  job: Pick<FilePageJob, 'query' | 'after'>,
) => Promise<FilePage>;

const WRITERS: Readonly<Record<FileList, WritePage>> = {
  payments: (deps, owner, { query, after }) =>
    writePage(createPaymentListing(deps, owner, query as PaymentsQuery), after),
  refunds: (deps, owner, { query, after }) =>
    writePage(createRefundListing(deps, owner, query as RefundsQuery), after),
  payouts: (deps, owner, { query, after }) =>
    writePage(createPayoutListing(deps, owner, query as PayoutsQuery), after),
  events: (deps, owner, { query, after }) =>
    writePage(createEventListing(deps, owner, query as EventsQuery), after),
  api_logs: (deps, { merchantId }, { query, after }) =>
    writePage(createLogListing(deps, merchantId, query as LogsQuery), after),
  invoices: (deps, { merchantId }, { query, after }) =>
    writePage(createInvoiceListing(deps, merchantId, query as InvoicesQuery), after),
  payment_links: (deps, { merchantId }, { query, after }) =>
    writePage(createLinkListing(deps, merchantId, query as LinksQuery), after),
};

export function openFilePages({
  databaseUrl,
  baseUrl,
}: FileStores): (job: FilePageJob) => Promise<FilePage | FailedPage> {
  const deps = { lists: openPostgres(databaseUrl, 'gateway files', 1), baseUrl };
  return async (job) => {
    try {
      if (job.list === 'transactions') {
        const listing = createTransactionListing(deps, job.query);
        return await writePage(listing, job.after);
      }
      const { list, merchantId, environment } = job;
      return await WRITERS[list](deps, { merchantId, environment: environment ?? 'TEST' }, job);
    } catch (error) {
      const failure = mapStoreFailure(error);
      if (failure === undefined) throw error;
      return { failure, cause: String(error) };
    }
  };
}

function writePage<Row extends PagePlace>(
  listing: Listing<Row> | ApiError,
  after: PagePlace | null,
): Promise<FilePage> {
  if ('code' in listing) throw new Error(`the route did not refuse its query: ${listing.code}`);
  return writeFilePage(listing, after);
}
