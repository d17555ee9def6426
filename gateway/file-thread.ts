// The work of the thread that writes CSV files, a page at a time (lists/csv-download.ts), on Postgres connections of its own.
import { openPostgres } from '../store/postgres/client.js';
import type { PagePlace } from '../store/postgres/page.js';
import { openStandby, StandbyReads } from '../store/postgres/standby-reads.js';
import { createLogListing } from './developers/api-logs/handlers.js';
import type { LogsQuery } from './developers/api-logs/schema.js';
import { createInvoiceListing } from './selling/invoices/list.js';
import type { InvoicesQuery } from './selling/invoices/schema.js';
import { readFormat } from './lists/csv-format.js';
import {
  type FailedPage,
  type FileList,
  type FilePage,
  type FilePageJob,
  writeFilePage,
  type WrittenPage,
} from './lists/file-pages.js';
import type { Listing, ListingDeps, Tenant } from './lists/listing.js';
import { createLinkListing } from './selling/payment-links/list.js';
import type { LinksQuery } from './selling/payment-links/schema.js';
import { createTransactionListing } from './operators/money/payment-handlers.js';
import { createEventListing, type EventsQuery } from './money/payments/events.js';
import { createPaymentListing, type PaymentsQuery } from './money/payments/list.js';
import { createPayoutListing, type PayoutsQuery } from './money/payouts/list.js';
import { createRefundListing, type RefundsQuery } from './money/refunds/list.js';
import type { ApiError } from './routing/response.js';
import { mapStoreFailure } from './routing/store-failures.js';

export interface FileStores {
  readonly databaseUrl: string;
  /** null: all pages are read from the primary. */
  readonly databaseUrlReplica: string | null;
  readonly baseUrl: string;
}

type PageOfFile = Pick<FilePageJob, 'query' | 'after'>;
type WritePage = (deps: ListingDeps, tenant: Tenant, job: PageOfFile) => Promise<WrittenPage>;

const WRITERS: Readonly<Record<FileList, WritePage>> = {
  payments: (deps, tenant, job) =>
    writePage(createPaymentListing(deps, tenant, job.query as PaymentsQuery), job),
  refunds: (deps, tenant, job) =>
    writePage(createRefundListing(deps, tenant, job.query as RefundsQuery), job),
  payouts: (deps, tenant, job) =>
    writePage(createPayoutListing(deps, tenant, job.query as PayoutsQuery), job),
  events: (deps, tenant, job) =>
    writePage(createEventListing(deps, tenant, job.query as EventsQuery), job),
  api_logs: (deps, { merchantId }, job) =>
    writePage(createLogListing(deps, merchantId, job.query as LogsQuery), job),
  invoices: (deps, { merchantId }, job) =>
    writePage(createInvoiceListing(deps, merchantId, job.query as InvoicesQuery), job),
  payment_links: (deps, { merchantId }, job) =>
    writePage(createLinkListing(deps, merchantId, job.query as LinksQuery), job),
};

export function openFilePages({
  databaseUrl,
  databaseUrlReplica,
  baseUrl,
}: FileStores): (job: FilePageJob) => Promise<FilePage | FailedPage> {
  const servers = new StandbyReads(
    openPostgres(databaseUrl, 'gateway files', 1),
    openStandby(databaseUrlReplica, 'gateway files'),
  );
  return async (job) => {
    try {
      const { sql, since } = await servers.choose(job.since);
      return { ...(await writeJob({ lists: sql, baseUrl }, job)), since };
    } catch (error) {
      const failure = mapStoreFailure(error);
      if (failure === undefined) throw error;
      return { failure, cause: String(error) };
    }
  };
}

function writeJob(deps: ListingDeps, job: FilePageJob): Promise<WrittenPage> {
  if (job.list === 'transactions') return writePage(createTransactionListing(deps, job.query), job);
  const { list, merchantId, environment } = job;
  return WRITERS[list](deps, { merchantId, environment: environment ?? 'TEST' }, job);
}

function writePage<Row extends PagePlace>(
  listing: Listing<Row> | ApiError,
  { query, after }: PageOfFile,
): Promise<WrittenPage> {
  const format = readFormat(query);
  if ('code' in listing) throw new Error(`the route did not refuse its query: ${listing.code}`);
  if ('code' in format) throw new Error(`the route did not refuse its format: ${format.code}`);
  return writeFilePage(listing, after, format);
}
