-- Reconciliation with rails, rail by rail and day by day (actors/rails/reconcile/). A run goes on in pages, each page one
-- statement that moves its cursor by compare-and-set on `lease`, so any process may continue it, and a page that comes
-- twice counts once.
--
--   list ──every page of the rail's list──▶ ask ──every payment of the day──▶ ended
--
-- Days are Jakarta's: those that the rails close their books by.
create table rail_reconciliations (
  rail         text collate "C" not null,
  day          date not null,
  -- null: nothing is to be done
  due_at       timestamptz default now(),
  asked_at     timestamptz not null default now(),
  lease        integer not null default 0,
  leased_until timestamptz,
  step         text collate "C" not null default 'list' check (step in ('list', 'ask')),
  -- how far the step has come; null: not begun
  cursor       text collate "C",
  -- how often in a row a page got no answer at all
  postponed    integer not null default 0,
  matched      integer not null default 0,
  -- orders of which the rail did not say how they stand
  unanswered   integer not null default 0,
  -- how often it was done anew because of those
  repeated     integer not null default 0,
  ended_at     timestamptz,
  primary key (rail, day)
);

-- Orders that a rail's list of the day named; kept while the run lasts.
create table rail_sightings (
  rail     text collate "C" not null,
  day      date not null,
  order_id text collate "C" not null,
  primary key (rail, day, order_id)
);

-- What the last run of a day found.
--   missing    we have it, the rail has not
--   orphan     the rail has money for an order that we do not have
--   differing  both have it, and not alike
create table rail_differences (
  rail       text collate "C" not null,
  day        date not null,
  order_id   text collate "C" not null,
  kind       text collate "C" not null check (kind in ('missing', 'orphan', 'differing')),
  field      text collate "C" not null check (field in ('status', 'amount', 'currency')),
  payment_id text collate "C",
  ours       text not null,
  theirs     text not null,
  found_at   timestamptz not null default now(),
  primary key (rail, day, order_id, kind, field)
);

-- Which settlements were booked on a day. Those of before stay without: they belong to no day.
alter table rail_transactions add column booked_at timestamptz;
alter table rail_transactions alter column booked_at set default now();
create index rail_transactions_by_time on rail_transactions (rail, booked_at) where rail <> 'sandbox';
-- Which orders ended on a day: nothing can be paid into them later but by mistake.
create index rail_calls_by_expiry on rail_calls (rail, ((request::json ->> 'expiresAtMs')::bigint))
  where operation = 'charge';

-- What callbacks said of an order, to be compared with what its look-up finds.
create index rail_callbacks_by_order on rail_callbacks (subject_id) where subject_kind = 'order';

-- Records a page with all that follows from it; false: another has taken the run over, and nothing was kept. `next_step`
-- null: it has ended. The arguments from `sightings` on are JSON arrays.
create function record_reconciled_page(
  rail_ text, day_ date, lease_ integer, lease_ms float8, next_step text, next_cursor text,
  matched_ integer, unanswered_ integer, again_ms float8, again_most integer,
  sightings jsonb, differences jsonb, orphans jsonb, look_ups jsonb
) returns boolean language plpgsql as $$
declare
  is_end constant boolean := next_step is null;
begin
  update rail_reconciliations
     set step = coalesce(next_step, 'list'), cursor = next_cursor, postponed = 0,
         matched = matched + matched_, unanswered = unanswered + unanswered_,
         leased_until = case when not is_end then now() + lease_ms * interval '1 millisecond' end,
         ended_at = case when is_end then now() end,
         repeated = case when is_end then repeated + 1 else repeated end,
         due_at = case when not is_end then due_at
                       when unanswered + unanswered_ > 0 and repeated < again_most
                         then now() + again_ms * interval '1 millisecond' end
   where rail = rail_ and day = day_ and lease = lease_;
  if not found then return false; end if;

  insert into rail_sightings (rail, day, order_id)
  select rail_, day_, s.id from jsonb_array_elements_text(sightings) as s (id)
  on conflict do nothing;
  if is_end then
    delete from rail_sightings where rail = rail_ and day = day_;
  end if;

  insert into rail_differences (rail, day, order_id, kind, field, payment_id, ours, theirs)
  select rail_, day_, d."orderId", d.kind, d.field, d."paymentId", d.ours, d.theirs
    from jsonb_to_recordset(differences)
      as d ("orderId" text, kind text, field text, "paymentId" text, ours text, theirs text)
  on conflict do nothing;
  insert into operator_tasks (id, kind, payment_id, details, opened_at)
  select d.task ->> 'id', 'rail_difference', d."paymentId", d.task ->> 'details',
         date_trunc('milliseconds', now())
    from jsonb_to_recordset(differences) as d ("paymentId" text, task jsonb)
   where d.task ->> 'id' is not null
  on conflict (id) do nothing;

  -- Orders of nobody are judged as those are that a callback names.
  insert into rail_callbacks (rail, dedupe_key, status, subject_kind, subject_id, reference, amount,
                              currency, body, judge_at)
  select rail_, 'reconciliation ' || o."orderId", 'unknown_order', 'order', o."orderId", o.reference,
         o.amount::bigint, o.currency, ''::bytea, now()
    from jsonb_to_recordset(orphans) as o ("orderId" text, reference text, amount text, currency text)
  on conflict (rail, dedupe_key) do nothing;
  update rail_watches w
     set look_at = now(), reference = coalesce(w.reference, l.reference),
         watch_until = greatest(w.watch_until, now() + interval '1 hour')
    from jsonb_to_recordset(look_ups) as l ("orderId" text, reference text)
   where w.id = l."orderId" and w.rail = rail_;
  return true;
end
$$;
