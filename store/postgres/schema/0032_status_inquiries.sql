-- Status inquiries get the name that the glossary has, and the time at which a row is due is `due_at` in each table. Processes of
-- the version before use the views and the column `look_at`, for one version (docs/decisions/0075-one-name-per-thing.md).

alter table rail_watches rename to status_inquiries;
alter table status_inquiries rename column look_at to due_at;
alter table status_inquiries rename column watch_until to inquire_until;
alter table status_inquiries rename constraint rail_watches_pkey to status_inquiries_pkey;
alter table status_inquiries rename constraint rail_watches_kind_check to status_inquiries_kind_check;
alter table status_inquiries rename constraint rail_watches_unconfirmed_check to status_inquiries_unconfirmed_check;
alter index rail_watches_due rename to status_inquiries_due;
alter index rail_watches_by_reference rename to status_inquiries_by_reference;
create view rail_watches as
  select id, kind, rail, payment_id, merchant_id, reference, due_at as look_at, leased_until, number, step,
         inquire_until as watch_until, inquired_at, callbacks, unconfirmed, fast_step, absences, absent_since, closes, close_id
    from status_inquiries;

-- Before `erasures`, in the order in which `look_through` locks the two. Processes of the version before only read `look_at`,
-- because `look_through` writes it. The second column costs little: a row is a request of a person.
alter table erasure_requests rename column look_at to due_at;
alter table erasure_requests add column look_at timestamptz generated always as (due_at) stored;

alter table erasures rename to erasure_subjects;
alter table erasure_subjects rename column look_at to due_at;
alter table erasure_subjects rename constraint erasures_pkey to erasure_subjects_pkey;
alter index erasures_due rename to erasure_subjects_due;
create view erasures as
  select id, merchant_id, environment, with_reference, asked_at, due_at as look_at, erased_at, swept_at from erasure_subjects;
