-- The words by which merchants find their payments (docs/decisions/0052-search-by-a-follower.md). A loop of the webhooks
-- processes follows the commits, so that a create pays nothing. An erasure replaces the words of its payment.

create table payment_search (
  merchant_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('TEST', 'LIVE')),
  created_at  timestamptz not null,
  payment_id  text collate "C" not null,
  -- Each word begins with a tag of merchant and environment (actors/core/payment/search.ts), so that the words of other
  -- merchants cost a search nothing.
  terms       tsvector not null,
  primary key (merchant_id, environment, created_at, payment_id)
);
-- New words wait in a list that each search reads, so it is kept short.
create index payment_search_terms on payment_search using gin (terms) with (gin_pending_list_limit = 512);

-- All payments of a partition that were created before its cursor are searchable. Of those created in its last millisecond
-- some may not be.
create table payment_search_cursors (
  partition    smallint primary key,
  position_ms  bigint not null default 0,
  position_seq bigint not null default 0
) with (fillfactor = 20);
