-- Callbacks of rails as they came, each once: a repeat only counts. Verified ones only; what is forged is not kept.
--
--   taken          about an order or a refund of ours: it is looked up
--   unknown_order  about none: answered 404, and judged after a while (judge_at)
--   booked         judged: the rail has money for it, which is on the books (in platform_suspense, with a task)
--   dismissed      judged: the rail has none
--   ignored        signed, and about nothing that we ask for, or not understood
create table rail_callbacks (
  rail         text collate "C" not null,
  dedupe_key   text collate "C" not null,
  status       text collate "C" not null
    check (status in ('taken', 'unknown_order', 'booked', 'dismissed', 'ignored')),
  subject_kind text collate "C",
  subject_id   text collate "C",
  reference    text collate "C",
  amount       bigint,
  currency     text collate "C",
  body         bytea not null,
  received_at  timestamptz not null default now(),
  repeats      integer not null default 0,
  judge_at     timestamptz,
  judged       integer not null default 0,
  primary key (rail, dedupe_key)
);
create index rail_callbacks_to_judge on rail_callbacks (judge_at) where judge_at is not null;
create index rail_callbacks_by_age on rail_callbacks (received_at);
