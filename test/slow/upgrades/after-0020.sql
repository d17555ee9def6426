--
-- PostgreSQL database dump
--

\restrict APWH9IU67unLIA1rviLth1DXT41ntVRuGmtnEPkU2eWBaN7VGxxvWeiQM76koqD

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: act_as(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.act_as(actor text, address text) RETURNS boolean
    LANGUAGE sql
    AS $$
  select set_config('kasir.actor', actor, true) is not null
     and set_config('kasir.address', address, true) is not null
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: passkeys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.passkeys (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    transports text[] NOT NULL,
    is_backup_eligible boolean NOT NULL,
    is_backed_up boolean NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone
);


--
-- Name: add_passkey(text, text, public.passkeys, text[], integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.add_passkey(user_ text, keep text, new public.passkeys, codes text[], most integer) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  before users;
begin
  select * into before from users where id = user_ for update;
  perform hold_session(keep);
  if before.passkeys >= most then return 'full'; end if;
  insert into passkeys select new.* on conflict (credential_id) do nothing;
  if not found then return 'known'; end if;
  update users set passkeys = passkeys + 1 where id = user_;
  if not has_second_factor(before) then perform put_recovery_codes(user_, codes); end if;
  perform end_sessions(user_, keep);
  return case when has_second_factor(before) then 'added' else 'first' end;
end $$;


--
-- Name: apply_balance_correction(text, text, text, text, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.apply_balance_correction(id_ text, debit_ text, credit_ text, reason_ text, is_limited_ boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  a    approvals;
  held bigint;
begin
  select * into a from approvals where id = id_ and status = 'approved' for update;
  if not found then return; end if;
  if is_limited_ then
    perform from balance_rows where account in (debit_, credit_) order by account, shard for update;
    held := coalesce((select amount from balances where account = debit_), 0);
    if held < a.amount then
      update approvals
         set status = 'refused', ended_at = date_trunc('milliseconds', now()),
             outcome_code = 'balance_insufficient',
             outcome_message = 'The account ' || debit_ || ' holds ' || held || ', less than ' || a.amount || '.'
       where id = id_;
      return;
    end if;
  end if;
  perform post('approval', a.id, 1, debit_, credit_, a.amount, a.currency, reason_);
  update approvals set status = 'applied', ended_at = date_trunc('milliseconds', now()) where id = id_;
end
$$;


--
-- Name: ask_erasures(text, text, text[], boolean, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ask_erasures(merchant text, environment_ text, ids text[], with_reference_ boolean, again boolean) RETURNS void
    LANGUAGE sql
    AS $$
  insert into erasures as e (id, merchant_id, environment, with_reference)
  select id, merchant, environment_, with_reference_ from unnest(ids) as i (id) order by id
  on conflict (id) do update
     set with_reference = e.with_reference or excluded.with_reference, look_at = now(),
         erased_at = null, swept_at = null
   where again
$$;


--
-- Name: ask_erasures_by_age(integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ask_erasures_by_age(days integer, most integer) RETURNS integer
    LANGUAGE plpgsql
    AS $_$
declare
  kind_ text;
  page record;
  asked integer := 0;
begin
  foreach kind_ in array array['payments', 'payouts', 'invoices'] loop
    for page in execute format($q$
      select m.id as merchant_id, e.environment, p.ids, p.last_at, p.last_id
        from merchants m cross join (values ('TEST'), ('LIVE')) as e (environment)
        left join erasure_walks w on w.kind = %1$L and w.merchant_id = m.id and w.environment = e.environment
       cross join lateral (
         select array_agg(o.id) as ids, max(o.created_at) as last_at,
                (array_agg(o.id order by o.created_at desc, o.id desc))[1] as last_id
           from (select id, created_at from %1$I
                  where merchant_id = m.id and environment = e.environment
                    and (created_at, id) > (coalesce(w.reached_at, '-infinity'), coalesce(w.reached_id, ''))
                    and created_at < now() - $1 * interval '1 day'
                  order by created_at, id limit $2) o) p
       where p.ids is not null limit 8 $q$, kind_) using days, most
    loop
      perform ask_erasures(page.merchant_id, page.environment, page.ids, false, false);
      insert into erasure_walks as w (kind, merchant_id, environment, reached_at, reached_id)
      values (kind_, page.merchant_id, page.environment, page.last_at, page.last_id)
      on conflict (kind, merchant_id, environment) do update
         set reached_at = excluded.reached_at, reached_id = excluded.reached_id
       where (w.reached_at, w.reached_id) < (excluded.reached_at, excluded.reached_id);
      asked := asked + cardinality(page.ids);
    end loop;
  end loop;
  return asked;
end $_$;


--
-- Name: audit_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  row_ jsonb := coalesce(new_row, old_row);
  before_ jsonb;
  after_ jsonb;
  personal_before jsonb;
  personal_after jsonb;
begin
  select jsonb_object_agg(name, old_value) filter (where mark <> '~' and old_row is not null),
         jsonb_object_agg(name, new_value) filter (where mark <> '~' and new_row is not null),
         jsonb_object_agg(name, old_value) filter (where mark = '~' and old_row is not null),
         jsonb_object_agg(name, new_value) filter (where mark = '~' and new_row is not null)
    into before_, after_, personal_before, personal_after
    from (select ltrim(argument, '~#') as name, left(argument, 1) as mark
            from unnest(tg_argv[1:]) as argument) as columns
   cross join lateral (
     select show_audited(mark, old_row -> name) as old_value,
            show_audited(mark, new_row -> name) as new_value) as shown
   where old_row -> name is distinct from new_row -> name;
  if num_nonnulls(before_, after_, personal_before, personal_after) = 0 then return null; end if;
  insert into audit_log (chain, actor, address, action, target, before, after, personal)
  values (coalesce(case when tg_table_name = 'merchants' then row_ ->> 'id' end, row_ ->> 'merchant_id',
                   (select merchant_id from users where id = row_ ->> 'user_id'), ''),
          coalesce(nullif(current_setting('kasir.actor', true), ''), 'database:' || session_user),
          nullif(current_setting('kasir.address', true), ''),
          tg_table_name || '.' || lower(tg_op), row_ ->> tg_argv[0], before_::text, after_::text,
          case when num_nonnulls(personal_before, personal_after) > 0
               then jsonb_strip_nulls(jsonb_build_object('before', personal_before, 'after', personal_after))::text
          end);
  return null;
end $$;


--
-- Name: begin_change_of_user(text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.begin_change_of_user(session_ text, merchant text, user_ text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform 1 from users
    where id = user_ or id = (select user_id from sessions where id = session_) order by id for update;
  perform hold_session(session_);
  perform lock_users(merchant);
end $$;


--
-- Name: begin_invoice_payment(text, integer, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.begin_invoice_payment(id_ text, attempt_ integer, payment text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  invoice invoices;
  latest integer;
begin
  select * into invoice from invoices where id = id_ for no key update;
  if not found then return 'missing'; end if;
  if invoice.status <> 'open' then return invoice.status; end if;
  if exists (select from payments where id = payment) then return 'made'; end if;
  if not takes_payments(invoice.merchant_id, invoice.environment) then return 'not_live'; end if;
  select coalesce(max(attempt), 0) into latest from invoice_payments where invoice_id = id_;
  if attempt_ = latest then return 'begin'; end if;
  if attempt_ <> latest + 1 or exists (
    select from invoice_payments i left join payments p on p.id = i.payment_id
     where i.invoice_id = id_ and coalesce(p.status, 'creating') not in ('failed', 'cancelled')) then
    return 'again';
  end if;
  insert into invoice_payments (invoice_id, attempt, payment_id) values (id_, attempt_, payment);
  return 'begin';
end $$;


--
-- Name: begin_kyc_upload(text, text, integer, integer, bigint, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.begin_kyc_upload(merchant text, request text, bytes_ integer, max_documents integer, max_bytes bigint, lease_s integer) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  documents_ integer;
  kept bigint;
begin
  perform end_kyc_uploads(array(select merchant_id from kyc_uploads where expires_at <= clock_timestamp()
                                   for update skip locked));
  insert into kyc_uploads as u (merchant_id, request_id, expires_at)
  values (merchant, request, clock_timestamp() + make_interval(secs => lease_s))
  on conflict (merchant_id) do update set request_id = excluded.request_id, expires_at = excluded.expires_at
   where u.expires_at <= clock_timestamp();
  if not found then return 'busy'; end if;
  select count(*), coalesce(sum(size), 0) into documents_, kept from kyc_documents where merchant_id = merchant;
  if documents_ < max_documents and kept + bytes_ <= max_bytes then return 'done'; end if;
  delete from kyc_uploads where merchant_id = merchant;
  return case when documents_ >= max_documents then 'documents' else 'bytes' end;
end $$;


--
-- Name: book_at_rail(jsonb, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.book_at_rail(p_row jsonb, debit_ text, credit_ text, reason_ text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  r rail_bookings := jsonb_populate_record(null::rail_bookings, p_row);
begin
  insert into rail_bookings (id, kind, rail, amount, currency, reference, note)
  values (r.id, r.kind, r.rail, r.amount, r.currency, r.reference, r.note)
  on conflict do nothing;
  if found then
    perform post('booking', r.id, 1, debit_, credit_, r.amount, r.currency, reason_);
    return 'booked';
  end if;
  perform from rail_bookings b where b.id = r.id and b.amount = r.amount and b.currency = r.currency;
  return case when found then 'known' else 'differs' end;
end
$$;


--
-- Name: book_payout_postings(text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.book_payout_postings(p_payout text, p_postings jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
  select 'payout', p_payout, g.version, g.index, g.debit, g.credit, g.amount, g.currency, g.reason, g.at
    from jsonb_to_recordset(p_postings) as g (version integer, index smallint, debit text, credit text,
                                              amount bigint, currency text, reason text, at timestamptz);

  insert into balance_rows as b (account, shard, currency, amount)
  select m.account, find_shard_of_cause(m.account, p_payout), min(m.currency), sum(m.amount)::bigint
    from jsonb_to_recordset(p_postings) as g (debit text, credit text, amount bigint, currency text),
         lateral (values (g.debit, g.currency, -g.amount), (g.credit, g.currency, g.amount))
                 as m (account, currency, amount)
   group by m.account
   order by m.account
  on conflict (account, shard) do update set amount = b.amount + excluded.amount;
end
$$;


--
-- Name: book_unknown_order(text, text, text, text, text, text, bigint, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.book_unknown_order(task text, rail_ text, transaction_ text, details_ text, debit_ text, credit_ text, amount_ bigint, currency_ text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  insert into rail_transactions (rail, transaction_id, payment_id)
  values (rail_, transaction_, task) on conflict do nothing;
  if not found then return false; end if;
  insert into operator_tasks (id, kind, details, opened_at)
  values (task, 'unknown_order', details_, date_trunc('milliseconds', now()));
  perform post('task', task, 1, debit_, credit_, amount_, currency_, 'order_unknown');
  return true;
end
$$;


--
-- Name: change_password(text, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.change_password(user_ text, old text, new text, keep text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  update users set password_hash = new where id = user_ and password_hash = old;
  if not found then return false; end if;
  perform hold_session(keep);
  perform end_sessions(user_, keep);
  update one_time_links set used_at = now()
   where user_id = user_ and purpose = 'reset' and used_at is null;
  return true;
end $$;


--
-- Name: change_role(text, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.change_role(session_ text, merchant text, user_ text, role_ text) RETURNS text
    LANGUAGE plpgsql
    AS $$
begin
  perform begin_change_of_user(session_, merchant, user_);
  perform 1 from users where id = user_ and merchant_id = merchant;
  if not found then return 'missing'; end if;
  if role_ <> 'owner' and not has_other_owner(merchant, user_) then return 'last_owner'; end if;
  update users set role = role_ where id = user_;
  return 'done';
end $$;


--
-- Name: change_webhook_endpoint(text, text, text, text[], boolean, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.change_webhook_endpoint(id_ text, merchant text, url_ text, events_ text[], active_ boolean, allows_many boolean) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  endpoint webhook_endpoints;
begin
  perform lock_webhook_endpoints(merchant);
  select * into endpoint from webhook_endpoints
   where id = id_ and merchant_id = merchant and deleted_at is null for update;
  if not found then return 'missing'; end if;
  if active_ and not endpoint.active and not allows_many
     and has_active_webhook_endpoint(merchant, endpoint.environment, id_) then
    return 'active_exists';
  end if;
  update webhook_endpoints
     set url = coalesce(url_, url), events = coalesce(events_, events), active = coalesce(active_, active)
   where id = id_;
  -- An endpoint that is switched off or on starts from zero.
  if active_ <> endpoint.active then
    delete from webhook_endpoint_failures where endpoint_id = id_;
  end if;
  return 'changed';
end $$;


--
-- Name: choose_password(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.choose_password(digest_ text, new text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  user_ text;
begin
  update one_time_links set used_at = now()
   where digest = decode(digest_, 'hex') and purpose in ('reset', 'invite')
     and used_at is null and expires_at > now()
  returning user_id into user_;
  if user_ is null then return null; end if;
  perform 1 from users where id = user_ for update;
  if exists (select from users u, users other
              where u.id = user_ and other.id <> user_ and other.email = u.email and other.verified_at is not null) then
    return null;
  end if;
  if exists (select from users where id = user_ and verified_at is null and password_hash is not null) then
    perform remove_work_of_stranger(user_);
  end if;
  update users set password_hash = new, verified_at = coalesce(verified_at, now()) where id = user_;
  perform end_sessions(user_, null);
  update one_time_links set used_at = now()
   where user_id = user_ and purpose in ('reset', 'invite') and used_at is null;
  return user_;
end $$;


--
-- Name: claim_payment_link_use(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.claim_payment_link_use(link_ text, payment text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  link payment_links;
  was text;
begin
  select * into link from payment_links where id = link_ for no key update;
  if not found then return 'missing'; end if;
  if exists (select from payments where id = payment) then return 'made'; end if;
  if not takes_payments(link.merchant_id, link.environment) then return 'not_live'; end if;
  if not link.active then return 'inactive'; end if;
  if link.expires_at <= clock_timestamp() then return 'expired'; end if;
  select state into was from payment_link_uses where payment_id = payment;
  if was is null or was = 'given_back' then
    if link.uses >= link.max_uses then return 'used_up'; end if;
    update payment_links set uses = uses + 1 where id = link_;
  end if;
  insert into payment_link_uses (payment_id, link_id) values (payment, link_)
  on conflict (payment_id) do update set state = 'claimed', claimed_at = clock_timestamp();
  return 'claimed';
end $$;


--
-- Name: commit_batch(text, text, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.commit_batch(layout text, positions text, created text, changed text, events text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  moves   bigint;
  touched bigint;
begin
  if layout is distinct from commit_layout() then
    raise exception 'the rows of this commit have other columns: migrate the database to the version of this process'
      using errcode = '42P13';
  end if;
  moves := (select count(*) from read_positions(positions));
  if moves = 0 or exists (
    select from read_positions(positions) b where (b.to_ms, b.to_seq) <= (b.from_ms, b.from_seq)) then
    raise exception 'a batch must raise the positions of its partitions' using errcode = 'KS002';
  end if;

  update partitions p
     set position_ms = b.to_ms, position_seq = b.to_seq
    from read_positions(positions) b
   where p.id = b.partition and p.epoch = b.epoch
     and p.position_ms = b.from_ms and p.position_seq = b.from_seq;
  get diagnostics touched = row_count;
  if touched <> moves then
    raise exception 'a position or an epoch has moved' using errcode = 'KS001';
  end if;

  if created <> '' then
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                          reference_id, created_at, due_at, version, snapshot)
    select n.id, n.merchant_id, n.environment, n.status, n.amount_minor, n.currency, n.payment_method,
           n.reference_id, to_timestamp(n.at_ms / 1000.0::float8),
           to_timestamp(n.due_at_ms / 1000.0::float8), n.version, n.snapshot
      from read_created(created) n;
  end if;

  if changed <> '' then
    update payments p
       set status = c.status, payment_method = c.payment_method, version = c.version,
           due_at = to_timestamp(c.due_at_ms / 1000.0::float8), snapshot = c.snapshot
      from read_changed(changed) c
     where p.id = c.id and p.version = c.from_version;
    get diagnostics touched = row_count;
    if touched <> (select count(*) from read_changed(changed)) then
      raise exception 'a snapshot was not folded from the stored version' using errcode = 'KS002';
    end if;
  end if;

  if events <> '' then
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version,
                                type, at, event, merchant_id, environment, envelope)
    select e.partition, e.position_ms, e.position_seq, e.index, e.payment_id, e.version,
           e.type, to_timestamp(e.position_ms / 1000.0::float8), e.event, e.merchant_id, e.environment, e.envelope
      from read_events(events) e;
  end if;
end
$$;


--
-- Name: commit_consequences(timestamp with time zone, text, text, text, text, text, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.commit_consequences(batch_at timestamp with time zone, postings text, refunds text, rail_transactions text, rail_calls text, tasks text, quarantined text, deferred text, resumed text) RETURNS void
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    AS $$
declare
  touched bigint;
  shard_  smallint;
begin
  insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
  select 'payment', g.payment_id, g.version, g.index, g.debit, g.credit, g.amount_minor, g.currency,
         g.reason, batch_at
    from read_postings(postings) g;

  -- The partitions of a batch belong to one process, so no other commit moves the rows of the first of them.
  shard_ := (select min(g.partition) from read_postings(postings) g);
  insert into balance_rows as b (account, shard, currency, amount)
  select m.account, find_shard(m.account, shard_), min(m.currency), sum(m.amount)::bigint
    from (select d.debit as account, d.currency, -d.amount_minor as amount from read_postings(postings) d
          union all
          select c.credit, c.currency, c.amount_minor from read_postings(postings) c) as m
   group by m.account
   order by m.account
  on conflict (account, shard) do update set amount = b.amount + excluded.amount;

  insert into refunds (id, payment_id, merchant_id, environment, status, created_at)
  select r.id, r.payment_id, r.merchant_id, r.environment, r.status,
         to_timestamp(r.created_at_ms / 1000.0::float8)
    from read_refunds(refunds) r
  on conflict (id) do update set status = excluded.status;

  insert into rail_transactions (rail, transaction_id, payment_id)
  select t.rail, t.transaction_id, t.payment_id
    from read_rail_transactions(rail_transactions) t;

  insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at, commanded_at)
  select c.id, c.payment_id, p.merchant_id, c.rail, c.operation, c.request, now(),
         now() - c.waited_ms * interval '1 millisecond'
    from read_rail_calls(rail_calls) c
    join payments p on p.id = c.payment_id
  on conflict (id) do nothing;

  insert into operator_tasks (id, kind, payment_id, details, opened_at)
  select o.id, o.kind, o.payment_id, o.details, batch_at
    from read_tasks(tasks) o
  on conflict (id) do nothing;

  insert into parked_commands (partition, position_ms, position_seq, index, command, error)
  select k.partition, k.position_ms, k.position_seq, k.index, k.command, k.error
    from read_quarantined(quarantined) k;

  insert into deferred_commands (partition, position_ms, position_seq, index, payment_id, source, sender,
                                 correlation, command, deferred_at)
  select d.partition, d.position_ms, d.position_seq, d.index, d.payment_id, d.source, d.sender,
         d.correlation, d.command, batch_at
    from read_deferred(deferred) d;

  if resumed <> '' then
    delete from deferred_commands d
     using read_resumed(resumed) r
     where d.partition = r.partition and d.position_ms = r.position_ms
       and d.position_seq = r.position_seq and d.index = r.index;
    get diagnostics touched = row_count;
    if touched <> (select count(*) from read_resumed(resumed)) then
      raise exception 'a resumed command is not stored' using errcode = 'KS002';
    end if;
  end if;
end
$$;


--
-- Name: commit_layout(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.commit_layout() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '922f9aa0b73bb555'::text;


--
-- Name: confirm_totp(text, text, text, bigint, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.confirm_totp(user_ text, keep text, secret text, step bigint, codes text[]) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  update users set totp_confirmed_at = now(), totp_step = step
   where id = user_ and totp_secret = secret and totp_confirmed_at is null;
  if not found then return false; end if;
  perform hold_session(keep);
  perform put_recovery_codes(user_, codes);
  perform end_sessions(user_, keep);
  return true;
end $$;


--
-- Name: correct_manual_postings(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.correct_manual_postings() RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  corrections integer;
begin
  with by_hand as materialized (
    select g.*
      from postings g
      join payment_events e on e.payment_id = g.cause_id and e.version = g.version
      join payments p on p.id = g.cause_id
     where g.cause_kind = 'payment' and g.reason = 'refund_succeeded'
       and e.event::jsonb ->> 'externalReference' is not null
       and exists (
         select from jsonb_array_elements(p.snapshot::jsonb -> 'internal' -> 'refunds') r
          where r ->> 'id' = e.event::jsonb ->> 'refundId' and r -> 'isPaidByRail' is null)
    union all
    select g.* from postings g
     where g.cause_kind = 'task' and g.reason in ('suspense_returned', 'return_matched')),
  wrong as (
    select b.*, case b.reason when 'return_matched' then b.debit else b.credit end as named,
           'rail_clearing:manual:' || split_part(b.credit, ':', -2) || ':' || b.currency as bank
      from by_hand b),
  moved as (
    insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
    select cause_kind, cause_id, version, index + 1000,
           case reason when 'return_matched' then bank else named end,
           case reason when 'return_matched' then named else bank end,
           amount, currency, 'moved_to_manual', date_trunc('milliseconds', now())
      from wrong where named <> bank
    on conflict do nothing
    returning debit, credit, amount, currency),
  balanced as (
    insert into balance_rows as b (account, shard, currency, amount)
    select m.account, find_shard_of_cause(m.account, 'correct_manual_postings'), min(m.currency),
           sum(m.amount)::bigint
      from moved g, lateral (values (g.debit, g.currency, -g.amount), (g.credit, g.currency, g.amount))
                            as m (account, currency, amount)
     group by m.account
     order by m.account
    on conflict (account, shard) do update set amount = b.amount + excluded.amount)
  select count(*)::integer into corrections from moved;
  return corrections;
end
$$;


--
-- Name: create_webhook_endpoint(text, text, text, text, text[], text, boolean, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.create_webhook_endpoint(id_ text, merchant text, environment_ text, url_ text, events_ text[], secret_ text, allows_many boolean, most integer) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  rejection text;
begin
  perform lock_webhook_endpoints(merchant);
  rejection := find_webhook_endpoint_rejection(merchant, environment_, allows_many, most);
  if rejection is not null then return rejection; end if;
  insert into webhook_endpoints (id, merchant_id, environment, url, events, secret)
  values (id_, merchant, environment_, url_, events_, secret_);
  return 'created';
end $$;


--
-- Name: decide_verification(text, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.decide_verification(merchant text, to_ text, reason_ text, field_reasons_ text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  from_ text;
begin
  select verification_status into from_ from merchants where id = merchant for update;
  if not found then return 'missing'; end if;
  if not (from_ = 'PENDING' and to_ in ('APPROVED', 'REJECTED')
       or from_ = 'APPROVED' and to_ = 'SUSPENDED'
       or from_ = 'SUSPENDED' and to_ = 'APPROVED') then
    return from_;
  end if;
  if from_ = 'PENDING' then
    update kyc_submissions
       set status = to_, decided_at = now(), reason = reason_, field_reasons = field_reasons_
     where merchant_id = merchant and status = 'PENDING';
  end if;
  update merchants set verification_status = to_, live_enabled = live_enabled and to_ = 'APPROVED'
   where id = merchant;
  if to_ <> 'SUSPENDED' then
    perform write_notice('kyc_decided', merchant, merchant || ' ' || clock_timestamp(),
                         json_build_object('status', to_));
  end if;
  return 'done';
end $$;


--
-- Name: dialled(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.dialled(phone text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(regexp_replace(phone, '[^0-9]'::text, ''::text, 'g'::text), '^0'::text, '62'::text);


--
-- Name: digest_audit_row(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.digest_audit_row() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.salt := uuid_send(gen_random_uuid());
  new.personal_digest :=
    sha256(new.salt || convert_to(frame_audited(new.address) || frame_audited(new.personal), 'UTF8'));
  new.transaction := pg_current_xact_id();
  new.day := null;
  new.number := null;
  new.hash := null;
  return new;
end $$;


--
-- Name: digest_mailbox(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.digest_mailbox(address text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  with parts as (
    select split_part(split_part(lower(address), '@', 1), '+', 1) as name,
           replace(split_part(lower(address), '@', 2), 'googlemail.com', 'gmail.com') as host)
  select encode(sha256(convert_to(
           case host when 'gmail.com' then replace(name, '.', '') else name end || '@' || host, 'UTF8')), 'hex')
    from parts
$$;


--
-- Name: end_erasure(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.end_erasure(subject text) RETURNS void
    LANGUAGE sql
    AS $$
  update erasures
     set swept_at = case when erased_at < now() - interval '50 seconds' then now() end,
         erased_at = coalesce(erased_at, now()), look_at = now() + interval '1 minute'
   where id = subject
$$;


--
-- Name: end_kyc_uploads(text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.end_kyc_uploads(merchants_ text[]) RETURNS void
    LANGUAGE sql
    AS $$
  delete from kyc_uploads where merchant_id = any(merchants_);
  delete from kyc_document_parts p where merchant_id = any(merchants_)
     and not exists (select 1 from kyc_documents d where d.id = p.document_id);
$$;


--
-- Name: end_sessions(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.end_sessions(user_ text, keep text) RETURNS void
    LANGUAGE sql
    AS $$
  update sessions set ended_at = now()
   where user_id = user_ and id is distinct from keep and ended_at is null
$$;


--
-- Name: erase_audited_user(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.erase_audited_user(user_ text) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  erased integer;
begin
  update audit_log set address = null, personal = null, salt = null
   where (actor = user_ or target = user_) and salt is not null and num_nonnulls(address, personal) > 0;
  get diagnostics erased = row_count;
  if erased > 0 then
    insert into audit_log (actor, action, target, after)
    values (coalesce(nullif(current_setting('kasir.actor', true), ''), 'database:' || session_user),
            'audit_log.erase', user_, json_build_object('rows', erased)::text);
  end if;
  return erased;
end $$;


--
-- Name: erase_invoice(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.erase_invoice(invoice text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  update invoices set customer_name = null, customer_email = null, notes = null,
                      revision = revision + (status = 'draft')::integer
   where id = invoice and status <> 'open';
  if not found then return false; end if;
  update mails set recipient = '', subject = '', body = '', error = null, sent_at = coalesce(sent_at, now())
   where invoice_id = invoice;
  perform end_erasure(invoice);
  return true;
end $$;


--
-- Name: erase_payment_traces(text, text[], text[], boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.erase_payment_traces(payment text, names text[], events_ text[], with_reference_ boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if with_reference_ then
    update payments set reference_id = null where id = payment and reference_id is not null;
  end if;
  -- A receiver's answer may repeat what it was sent.
  update webhook_attempts a set excerpt = null
    from webhook_deliveries d
   where d.event_id = any(events_) and a.delivery_id = d.id and a.excerpt is not null;
  update mails set recipient = '', subject = '', body = '', error = null, sent_at = coalesce(sent_at, now())
   where payment_id = payment;
  perform erase_records(payment, names);
  perform end_erasure(payment);
end $$;


--
-- Name: erase_payout(text, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.erase_payout(payout text, with_reference_ boolean) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  update payouts
     set account_holder = '[erased]', description = null,
         account_number = lpad(right(account_number, 4), length(account_number), '*'),
         reference_id = case when not with_reference_ then reference_id end
   where id = payout and status in ('COMPLETED', 'FAILED', 'REVERSED');
  if not found then return false; end if;
  if with_reference_ then
    update payout_events set envelope = erase_reference(envelope)
     where payout_id = payout and envelope is not null;
    update webhook_deliveries set body = erase_reference(body)
     where event_id > 'evt_' || substr(payout, 4) and event_id < 'evt_' || substr(payout, 4) || '~'
       and payout_id = payout;
  end if;
  -- A receiver's answer may repeat what it was sent.
  update webhook_attempts a set excerpt = null
    from webhook_deliveries d
   where d.event_id > 'evt_' || substr(payout, 4) and d.event_id < 'evt_' || substr(payout, 4) || '~'
     and d.payout_id = payout and a.delivery_id = d.id and a.excerpt is not null;
  perform erase_records(payout, array[payout]);
  perform end_erasure(payout);
  return true;
end $$;


--
-- Name: erase_records(text, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.erase_records(subject text, names text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update api_logs set query = null, idempotency_key = null, request_body = null, response_body = null
   where payment_id = subject;
  update rail_callbacks set body = '' where subject_id = any(names) and length(body) > 0;
  update parked_commands set command = json_build_object('paymentId', subject)::text, error = 'erased'
   where strpos(command, subject) > 0;
end $$;


--
-- Name: erase_reference(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.erase_reference(envelope text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select regexp_replace(envelope, '"reference_id":"(\\.|[^"\\])*"', '"reference_id":null')
$$;


--
-- Name: expedite_inquiries(text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.expedite_inquiries(rail_ text, inquiries jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update rail_watches w
     set look_at = now(), reference = coalesce(w.reference, f.reference),
         watch_until = greatest(w.watch_until, now() + interval '1 hour'),
         callbacks = w.callbacks + 1, fast_step = 0,
         unconfirmed = array(select distinct s from unnest(w.unconfirmed || f.reports) as s
                              where s is not null order by s)
    from (select n.id, min(n.reference) as reference, array_agg(n.report) as reports
            from (select case l.kind when 'order' then l.id else c.id end as id, l.reference, l.report
                    from jsonb_to_recordset(inquiries)
                      as l (kind text, id text, reference text, report text)
                    left join refunds r on l.kind = 'refund' and r.id = l.id
                    left join rail_calls c
                      on c.id between 'call_' || substr(r.payment_id, 5)
                                  and 'call_' || substr(r.payment_id, 5) || 'zzzzzz'
                         and c.state <> 'due' and c.operation = 'refund'
                         and c.request::json ->> 'refundId' = r.id
                   where l.kind in ('order', 'refund')) n
           where n.id is not null
           group by n.id) f
   where w.id = f.id and w.rail = rail_;
  update payouts p
     set look_ups = p.look_ups + 1, due_at = now(), called_back_at = now()
    from jsonb_to_recordset(inquiries) as l (kind text, id text)
   where l.kind = 'payout' and p.id = l.id and p.rail = rail_ and p.status <> 'PENDING';
end
$$;


--
-- Name: failed_webhooks(text, text, text, timestamp with time zone, timestamp with time zone, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.failed_webhooks(endpoint text, type_ text, reason_ text, from_ timestamp with time zone, until_ timestamp with time zone, with_pending boolean) RETURNS TABLE(id text, at timestamp with time zone)
    LANGUAGE sql STABLE
    AS $$
  select d.id, d.settled_at from webhook_deliveries d
   where d.endpoint_id = endpoint and d.status = 'dead' and d.settled_at >= from_ and d.settled_at <= until_
     and (type_ is null or d.type = type_) and (reason_ is null or d.reason = reason_)
  union all
  select d.id, a.at from webhook_deliveries d
    join webhook_attempts a on a.delivery_id = d.id and a.attempt = d.attempts
   where with_pending and d.endpoint_id = endpoint and d.status = 'pending' and d.step > 0
     and d.next_attempt_at > now() and a.at >= from_ and a.at <= until_
     and (type_ is null or d.type = type_) and (reason_ is null or d.reason = reason_)
$$;


--
-- Name: finalize_invoice(text, text, integer, text, text, text, text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.finalize_invoice(id_ text, merchant text, revision_ integer, mail_id text, recipient_ text, subject_ text, body_ text, hourly integer) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  invoice invoices;
  number_ bigint;
  wait_s integer;
begin
  select * into invoice from invoices where id = id_ and merchant_id = merchant for no key update;
  if not found then return 'missing'; end if;
  if invoice.status <> 'draft' then return invoice.status; end if;
  if invoice.revision <> revision_ then return 'changed'; end if;
  if mail_id is not null then
    wait_s := wait_for_mail('invoice', merchant, digest_mailbox(recipient_), hourly);
    if wait_s > 0 then return 'wait ' || wait_s; end if;
  end if;
  insert into invoice_counters as c (merchant_id, environment, last_number)
  values (merchant, invoice.environment, 1)
  on conflict (merchant_id, environment) do update set last_number = c.last_number + 1
  returning last_number into number_;
  update invoices set status = 'open', number = number_,
                      finalized_at = date_trunc('milliseconds', clock_timestamp()),
                      sent_at = case when mail_id is not null then date_trunc('milliseconds', clock_timestamp()) end
   where id = id_;
  if mail_id is not null then
    insert into mails (id, recipient, subject, body, budget, merchant_id, invoice_id)
    values (mail_id, recipient_, replace(subject_, '{number}', invoice_number(number_)),
            replace(body_, '{number}', invoice_number(number_)), 'invoice', merchant, id_);
  end if;
  return 'done';
end $$;


--
-- Name: erasure_requests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.erasure_requests (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    field text NOT NULL COLLATE pg_catalog."C",
    sought text,
    with_reference boolean NOT NULL,
    created_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
    reached_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    reached_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    looked_through_at timestamp with time zone,
    look_at timestamp with time zone DEFAULT now() NOT NULL,
    completed_at timestamp with time zone,
    CONSTRAINT erasure_requests_check CHECK (((sought IS NULL) = (looked_through_at IS NOT NULL))),
    CONSTRAINT erasure_requests_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text]))),
    CONSTRAINT erasure_requests_field_check CHECK ((field = ANY (ARRAY['payment_id'::text, 'payout_id'::text, 'invoice_id'::text, 'customer_email'::text, 'customer_phone'::text, 'reference_id'::text])))
);


--
-- Name: find_customer(public.erasure_requests, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.find_customer(r public.erasure_requests, most integer, OUT found text[], OUT looked integer, OUT at timestamp with time zone, OUT id text) RETURNS record
    LANGUAGE sql STABLE
    AS $$
  select array_agg(p.id) filter (where case r.field
           when 'customer_email' then
             case when strpos(lower(p.snapshot), lower(r.sought)) > 0
                  then lower(p.snapshot::json ->> 'customer_email') = lower(r.sought) end
           else
             case when strpos(p.snapshot, '"customer_phone":"') > 0
                  then dialled(p.snapshot::json ->> 'customer_phone') = dialled(r.sought) end
           end),
         count(*)::integer, max(p.created_at), (array_agg(p.id order by p.created_at desc, p.id desc))[1]
    from (select o.id, o.created_at, o.snapshot from payments o
           where o.merchant_id = r.merchant_id and o.environment = r.environment
             and (o.created_at, o.id) > (r.reached_at, r.reached_id)
           order by o.created_at, o.id limit most) p
$$;


--
-- Name: find_refund_amount(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.find_refund_amount(envelope text) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $_$
  select coalesce(substring(right(envelope, 48) from '"refund_amount":"([0-9]{1,18})"\}\}$')::bigint, 0)
$_$;


--
-- Name: find_shard(text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.find_shard(account_ text, shard_ integer) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (CASE WHEN ((account_ ~~ 'rail\_clearing:%'::text) OR (account_ ~~ 'fees:%'::text)) THEN shard_ ELSE 0 END)::smallint;


--
-- Name: find_shard_of_cause(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.find_shard_of_cause(account_ text, cause_ text) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.find_shard(account_, ('-1'::integer - (hashtext(cause_) & 15)));


--
-- Name: find_webhook_endpoint_rejection(text, text, boolean, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.find_webhook_endpoint_rejection(merchant text, environment_ text, allows_many boolean, most integer) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case
    when not allows_many and has_active_webhook_endpoint(merchant, environment_, '') then 'active_exists'
    when (select count(*) from webhook_endpoints
           where merchant_id = merchant and environment = environment_ and deleted_at is null) >= most
      then 'too_many'
  end
$$;


--
-- Name: follow_negative_balances(interval); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.follow_negative_balances(remind_after interval) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update operator_tasks t
     set status = 'resolved', note = 'The balance is not below zero any more.',
         resolved_at = date_trunc('milliseconds', now())
   where t.kind = 'balance_negative' and t.status = 'open' and t.environment = 'LIVE'
     and not exists (select from balances b where b.account = t.details::jsonb ->> 'account' and b.amount < 0);

  insert into operator_tasks (id, kind, merchant_id, environment, details, opened_at)
  select 'task_' || md5(b.account || ':' || known.tasks), 'balance_negative', b.merchant, 'LIVE',
         json_build_object('account', b.account, 'balance', b.amount::text, 'currency', b.currency)::text,
         date_trunc('milliseconds', now())
    from (select account, amount, currency, split_part(account, ':', 2) as merchant from balances
           where account like 'merchant\_available:%' and split_part(account, ':', 3) = 'LIVE'
             and amount < 0) as b
         cross join lateral (
           select count(*) as tasks,
                  coalesce(bool_or(t.status = 'open' or t.action is not null
                                   and t.resolved_at > now() - remind_after
                                   and (t.details::jsonb ->> 'balance')::bigint <= b.amount), false) as is_known
             from operator_tasks t
            where t.merchant_id = b.merchant and t.kind = 'balance_negative'
              and t.details::jsonb ->> 'account' = b.account) as known
   where not known.is_known
  on conflict (id) do nothing;
end
$$;


--
-- Name: follow_payments(integer, smallint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.follow_payments(most integer, of_partitions smallint[]) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  events integer;
  touched text[];
begin
  with cursors as materialized (
    select c.* from payment_follower_cursors c where c.partition = any(of_partitions)
       for update skip locked),
  batch as materialized (
    select e.* from cursors c cross join lateral (
      select e.partition, e.position_ms, e.position_seq, e.index, e.payment_id, e.merchant_id, e.envelope
        from payment_events e
       where e.partition = c.partition and e.envelope is not null
         and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
       order by e.position_ms, e.position_seq, e.index
       limit most) e),
  moved as (
    update payment_follower_cursors f
       set position_ms = b.position_ms, position_seq = b.position_seq, index = b.index
      from (select distinct on (partition) partition, position_ms, position_seq, index from batch
             order by partition, position_ms desc, position_seq desc, index desc) b
     where f.partition = b.partition),
  -- The case keeps the envelopes of merchants that want no such mail unread.
  noticed as (
    insert into notices (kind, merchant_id, fact, details)
    select n.kind, b.merchant_id, b.payment_id, '{}'
      from batch b join merchants m on m.id = b.merchant_id
     cross join lateral (values ('payment_received', 'payment_received' = any(m.notices)),
                                ('receipt', m.sends_receipts)) as n (kind, is_wanted)
     where case when n.is_wanted then (read_envelope(b.envelope)).name = 'payment.paid' end
    on conflict do nothing)
  select count(*)::integer, array_agg(distinct payment_id) into events, touched from batch;
  if touched is not null then
    perform settle_payment_link_uses(touched);
    perform settle_invoices(touched);
  end if;
  return events;
end $$;


--
-- Name: follow_totals(integer, smallint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.follow_totals(most integer, of_partitions smallint[], OUT events integer, OUT has_more boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  behind smallint[] := array(
    select c.partition from payment_totals_cursors c cross join lateral (
      select from payment_events e
       where e.partition = c.partition and e.envelope is not null
         and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
       order by e.position_ms, e.position_seq, e.index limit 1) e
     where c.partition = any(of_partitions));
  part integer := greatest(most / greatest(cardinality(behind), 1), 1);
begin
  events := 0;
  has_more := false;
  if cardinality(behind) = 0 then return; end if;
  with cursors as materialized (
    select c.* from payment_totals_cursors c where c.partition = any(behind)
       for update skip locked),
  batch as materialized (
    select e.partition, e.position_ms, e.position_seq, e.index, e.merchant_id, e.environment, e.type, e.at,
           case when e.type like 'refund%' then find_refund_amount(e.envelope)
                when shows_amount(e.envelope) then split_part(e.envelope, '"', 26)::bigint
                else (select amount from payments where id = e.payment_id) end as amount,
           case when shows_amount(e.envelope) then split_part(e.envelope, '"', 30)
                else (select currency from payments where id = e.payment_id) end as currency
      from cursors c cross join lateral (
        select * from payment_events e
         where e.partition = c.partition and e.envelope is not null
           and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
         order by e.position_ms, e.position_seq, e.index
         limit part) e),
  moved as (
    update payment_totals_cursors f
       set position_ms = b.position_ms, position_seq = b.position_seq, index = b.index
      from (select distinct on (partition) partition, position_ms, position_seq, index from batch
             order by partition, position_ms desc, position_seq desc, index desc) b
     where f.partition = b.partition),
  added as (
    insert into payment_totals as t (merchant_id, environment, quarter, outcome, currency, events, amount)
    select b.merchant_id, b.environment, date_bin('15 minutes', b.at, '2000-01-01 00:00:00+00'), o.outcome,
           b.currency, count(*), sum(b.amount)
      from batch b
      join (values ('payment_paid', 'paid'), ('payment_failed', 'failed'), ('payment_cancelled', 'cancelled'),
                   ('payment_reversed', 'reversed'), ('refund_succeeded', 'refunded'),
                   ('refund_corrected', 'refunded'), ('refund_recorded', 'refunded'))
           as o (type, outcome) on o.type = b.type
     group by 1, 2, 3, 4, 5
     order by 1, 2, 3, 4, 5
    on conflict (merchant_id, environment, quarter, outcome, currency) do update
       set events = t.events + excluded.events, amount = t.amount + excluded.amount)
  select coalesce(sum(n), 0), coalesce(bool_or(n = part), false) into events, has_more
    from (select count(*) as n from batch group by partition) of_partition;
end $$;


--
-- Name: forget_attempts(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.forget_attempts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from webhook_attempts a using gone where a.delivery_id = gone.id;
  return null;
end $$;


--
-- Name: frame_audited(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.frame_audited(field text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(octet_length(field) || ':' || field, '-')
$$;


--
-- Name: give_back_payment_link_claim(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.give_back_payment_link_claim(payment text, claimed_at_ text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  link_ text;
begin
  select link_id into link_ from payment_link_uses where payment_id = payment;
  perform from payment_links where id = link_ for no key update;
  update payment_link_uses set state = 'given_back'
   where payment_id = payment and state = 'claimed' and claimed_at = claimed_at_::timestamptz
     and not exists (select from payments where id = payment);
  if not found then return false; end if;
  update payment_links set uses = uses - 1 where id = link_;
  return true;
end $$;


--
-- Name: has_active_webhook_endpoint(text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.has_active_webhook_endpoint(merchant text, environment_ text, but text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select exists (select from webhook_endpoints
                  where merchant_id = merchant and environment = environment_ and active and id <> but)
$$;


--
-- Name: has_other_owner(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.has_other_owner(merchant text, but text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select exists (select 1 from users where merchant_id = merchant and id <> but and role = 'owner'
                                       and password_hash is not null)
$$;


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    merchant_id text COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    password_hash text COLLATE pg_catalog."C",
    language text DEFAULT 'id'::text NOT NULL COLLATE pg_catalog."C",
    verified_at timestamp with time zone,
    totp_secret text COLLATE pg_catalog."C",
    totp_confirmed_at timestamp with time zone,
    totp_step bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    lockout_mailed_at timestamp with time zone,
    disabled_at timestamp with time zone,
    passkeys integer DEFAULT 0 NOT NULL,
    CONSTRAINT users_check CHECK (((merchant_id IS NULL) = (role = 'admin'::text))),
    CONSTRAINT users_check1 CHECK (((disabled_at IS NULL) OR (role = 'admin'::text))),
    CONSTRAINT users_language_check CHECK ((language = ANY (ARRAY['id'::text, 'en'::text]))),
    CONSTRAINT users_passkeys_check CHECK ((passkeys >= 0)),
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'developer'::text, 'finance'::text, 'viewer'::text, 'admin'::text])))
);


--
-- Name: has_second_factor(public.users); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.has_second_factor(u public.users) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select u.totp_confirmed_at is not null or u.passkeys > 0
$$;


--
-- Name: audit_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    chain text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    address text COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    before text,
    after text,
    personal text,
    salt bytea,
    personal_digest bytea NOT NULL,
    transaction xid8 NOT NULL,
    day date,
    number bigint,
    hash bytea,
    CONSTRAINT audit_log_check CHECK ((num_nulls(day, number, hash) = ANY (ARRAY[0, 3])))
);


--
-- Name: hash_audit_row(bytea, public.audit_log); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.hash_audit_row(previous bytea, r public.audit_log) RETURNS bytea
    LANGUAGE sql STABLE
    AS $$
  select sha256(previous || convert_to(
    frame_audited(r.chain) || frame_audited(to_char(r.day, 'YYYY-MM-DD')) || frame_audited(r.number::text)
    || frame_audited(r.id::text) || frame_audited(((extract(epoch from r.at) * 1000000)::bigint)::text)
    || frame_audited(r.actor) || frame_audited(r.action) || frame_audited(r.target)
    || frame_audited(r.before) || frame_audited(r.after)
    || frame_audited(encode(r.personal_digest, 'hex')), 'UTF8'))
$$;


--
-- Name: hold_session(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.hold_session(session_ text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  if session_ is null then return true; end if;
  perform 1 from users where id = (select user_id from sessions where id = session_) for share;
  perform 1 from sessions where id = session_ and ended_at is null;
  if not found then
    raise exception 'the session % has ended', session_ using errcode = 'KS004';
  end if;
  return true;
end $$;


--
-- Name: invoice_number(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.invoice_number(number_ bigint) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN ('INV-'::text || lpad((number_)::text, GREATEST(6, length((number_)::text)), '0'::text));


--
-- Name: keep_api_log_days(integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.keep_api_log_days(kept integer, ahead integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  today date := (now() at time zone 'UTC')::date;
  day date;
  old text;
begin
  perform pg_advisory_xact_lock(7271834);
  for day in select generate_series(today - 1, today + ahead, interval '1 day')::date loop
    if to_regclass('api_logs_' || to_char(day, 'YYYYMMDD')) is null then
      execute format('create table %I partition of api_logs for values from (%L) to (%L)',
                     'api_logs_' || to_char(day, 'YYYYMMDD'), day || ' 00:00+00', day + 1 || ' 00:00+00');
    end if;
  end loop;
  for old in select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
              where inhparent = 'api_logs'::regclass
                and relname < 'api_logs_' || to_char(today - kept, 'YYYYMMDD') loop
    execute format('drop table %I', old);
  end loop;
end
$$;


--
-- Name: keep_audit_row(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.keep_audit_row() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  place constant text[] := '{day,number,hash}';
  erasable constant text[] := '{address,personal,salt}';
begin
  if old.number is null and to_jsonb(new) - place = to_jsonb(old) - place then return new; end if;
  if num_nonnulls(new.address, new.personal, new.salt) = 0
     and to_jsonb(new) - erasable = to_jsonb(old) - erasable then return new; end if;
  raise exception 'the audit log is append-only';
end $$;


--
-- Name: limit_mail(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.limit_mail() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.mailbox := digest_mailbox(new.recipient);
  if wait_for_mail(new.budget, new.merchant_id, new.mailbox, (mail_limits(new.budget)).hourly) > 0 then
    return null;
  end if;
  return new;
end $$;


--
-- Name: link_audit_rows(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.link_audit_rows() RETURNS trigger
    LANGUAGE plpgsql
    SET lock_timeout TO '3s'
    SET enable_seqscan TO 'off'
    AS $$
declare
  today constant date := (clock_timestamp() at time zone 'UTC')::date;
  r audit_log;
  head audit_heads;
begin
  if (select number from audit_log where id = new.id) is not null then return null; end if;
  perform lock_audit_chains();
  for r in select * from audit_log
            where transaction = pg_current_xact_id() and number is null order by chain, id loop
    if r.chain is distinct from head.chain then
      perform put_audit_head(head);
      select * into head from audit_heads where chain = r.chain order by day desc limit 1;
      head.chain := r.chain;
      -- Clocks may go back; the days of a chain do not.
      head.day := greatest(head.day, today);
      -- A head that is behind its rows was tampered with: writers go on, and the verification finds it.
      head.number := greatest(head.number, (select max(number) from audit_log where chain = r.chain), 0);
    end if;
    r.day := head.day;
    r.number := head.number + 1;
    r.hash := hash_audit_row(coalesce(head.hash, ''), r);
    update audit_log set day = r.day, number = r.number, hash = r.hash where id = r.id;
    head.number := r.number;
    head.hash := r.hash;
  end loop;
  perform put_audit_head(head);
  return null;
end $$;


--
-- Name: lock_audit_chains(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lock_audit_chains() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  most constant integer := 100;
  every constant bigint := hashtextextended('audit log', 0);
  keys constant bigint[] := array(
    select distinct hashtextextended('audit log of ' || chain, 0) from audit_log
     where transaction = pg_current_xact_id() and number is null order by 1 limit most + 1);
  key bigint;
begin
  if cardinality(keys) > most then
    perform pg_advisory_xact_lock(every);
    return;
  end if;
  perform pg_advisory_xact_lock_shared(every);
  foreach key in array keys loop
    perform pg_advisory_xact_lock(key);
  end loop;
end $$;


--
-- Name: lock_users(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lock_users(merchant text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform 1 from merchants where id = merchant for no key update;
end $$;


--
-- Name: lock_webhook_endpoints(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lock_webhook_endpoints(merchant text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform from merchants where id = merchant for no key update;
end $$;


--
-- Name: look_through(text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.look_through(request text, most integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  r erasure_requests;
  looked integer := 0;
  ids text[] := '{}';
begin
  select * into r from erasure_requests
   where id = request and looked_through_at is null for update skip locked;
  if not found then return; end if;
  case r.field
    when 'payment_id' then
      ids := array(select id from payments
                    where id = r.sought and merchant_id = r.merchant_id and environment = r.environment);
    when 'payout_id' then
      ids := array(select id from payouts
                    where id = r.sought and merchant_id = r.merchant_id and environment = r.environment);
    when 'invoice_id' then
      ids := array(select id from invoices
                    where id = r.sought and merchant_id = r.merchant_id and environment = r.environment);
    when 'reference_id' then
      ids := array(select id from payments
                    where reference_id = r.sought and merchant_id = r.merchant_id
                      and environment = r.environment);
    else
      select coalesce(f.found, '{}'), f.looked, coalesce(f.at, r.reached_at), coalesce(f.id, r.reached_id)
        into ids, looked, r.reached_at, r.reached_id from find_customer(r, most) f;
      if r.field = 'customer_email' then
        ids := ids || array(select id from invoices
                             where merchant_id = r.merchant_id and environment = r.environment
                               and lower(customer_email) = lower(r.sought));
      end if;
  end case;
  -- An invoice and its payments have the same customer.
  ids := ids
    || array(select p.id from invoice_payments i join payments p on p.id = i.payment_id
              where i.invoice_id = any(ids))
    || array(select invoice_id from invoice_payments where payment_id = any(ids));
  ids := array(select distinct unnest(ids));
  perform ask_erasures(r.merchant_id, r.environment, ids, r.with_reference, true);
  insert into erasure_finds (request_id, subject_id) select r.id, unnest(ids) on conflict do nothing;
  update erasure_requests
     set reached_at = r.reached_at, reached_id = r.reached_id, look_at = clock_timestamp(),
         sought = case when looked = most then sought end,
         looked_through_at = case when looked < most then clock_timestamp() end
   where id = r.id;
end $$;


--
-- Name: mail_invoice(text, text, text, text, text, text, text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.mail_invoice(id_ text, merchant text, kind_ text, mail_id text, recipient_ text, subject_ text, body_ text, hourly integer) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  invoice invoices;
  now_ constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  free_at timestamptz;
  wait_s integer;
begin
  select * into invoice from invoices where id = id_ and merchant_id = merchant for no key update;
  if not found then return 'missing'; end if;
  if invoice.status <> 'open' then return invoice.status; end if;
  if exists (select from invoice_payments i join payments p on p.id = i.payment_id
              where i.invoice_id = id_ and p.status in ('paid', 'refunded')) then
    return 'paid';
  end if;
  if invoice.customer_email is distinct from recipient_ then return 'unaddressed'; end if;
  free_at := case kind_ when 'reminder' then invoice.reminded_at + interval '1 day'
                        else invoice.sent_at + interval '10 minutes' end;
  if free_at > now_ then return 'soon ' || ceil(extract(epoch from free_at - now_))::integer; end if;
  wait_s := wait_for_mail('invoice', merchant, digest_mailbox(recipient_), hourly);
  if wait_s > 0 then return 'wait ' || wait_s; end if;
  update invoices set sent_at = case kind_ when 'reminder' then sent_at else now_ end,
                      reminded_at = case kind_ when 'reminder' then now_ else reminded_at end
   where id = id_;
  insert into mails (id, recipient, subject, body, budget, merchant_id, invoice_id)
  values (mail_id, recipient_, subject_, body_, 'invoice', merchant, id_);
  return 'done';
end $$;


--
-- Name: mail_limits(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.mail_limits(budget_ text, OUT hourly integer, OUT daily integer) RETURNS record
    LANGUAGE sql IMMUTABLE
    AS $$
  select case budget_ when 'invite' then 20 else 0 end,
         case budget_ when 'registration' then 5 when 'invite' then 3 when 'notice' then 50
                      when 'operation' then 50 when 'payment' then 200 else 10 end
$$;


--
-- Name: move_payout(jsonb, integer, integer, bigint, jsonb, jsonb, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.move_payout(p_row jsonb, p_from integer, p_look_up integer, p_due_in_ms bigint, p_events jsonb, p_postings jsonb, p_tasks jsonb) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  r payouts := jsonb_populate_record(null::payouts, p_row);
begin
  update payouts
     set status = r.status, version = r.version, rail = r.rail, rail_reference = r.rail_reference,
         external_reference = r.external_reference, failure_code = r.failure_code,
         is_unresolved = r.is_unresolved, contradiction = r.contradiction,
         sent_at = r.sent_at, completed_at = r.completed_at, failed_at = r.failed_at,
         reversed_at = r.reversed_at, is_unknown = r.is_unresolved,
         reversal_reference = coalesce(r.reversal_reference, reversal_reference),
         corrected_at = coalesce(r.corrected_at, corrected_at),
         contradiction_closed_at = case when contradiction is distinct from r.contradiction then null
                                        else coalesce(contradiction_closed_at, r.contradiction_closed_at) end,
         due_at = case when p_look_up is null and p_due_in_ms is not null and due_at <= clock_timestamp()
                       then due_at
                       else clock_timestamp() + p_due_in_ms * interval '1 millisecond' end
   where id = r.id and version = p_from and (p_look_up is null or look_ups = p_look_up)
     and not (status = 'FAILED' and r.status <> 'FAILED' and contradiction_closed_at is not null)
     and not (status = 'PENDING' and r.status in ('PROCESSING', 'MANUAL_REQUIRED')
              and not takes_payments(merchant_id, environment));
  if not found then return false; end if;

  perform note_payout_events(r, p_events);
  perform book_payout_postings(r.id, p_postings);
  -- A payout that somebody cancelled is no news.
  if r.status in ('FAILED', 'REVERSED') and r.failure_code is distinct from 'cancelled' then
    perform write_notice('payout_failed', r.merchant_id, r.id || ' ' || r.status,
                         json_build_object('payout', r.id, 'status', r.status, 'reason', r.failure_code));
  end if;
  insert into operator_tasks (id, kind, payout_id, details, opened_at)
  select o.id, o.kind, r.id, o.details, date_trunc('milliseconds', now())
    from jsonb_to_recordset(p_tasks) as o (id text, kind text, details text)
  on conflict (id) do nothing;
  if r.status <> 'PENDING' then
    update operator_tasks
       set status = 'resolved', action = 'acknowledge', note = 'The payout is ' || r.status || '.',
           resolved_at = date_trunc('milliseconds', now()),
           resolved_by = nullif(current_setting('kasir.actor', true), '')
     where payout_id = r.id and status = 'open'
       and (kind = 'payout_not_sent'
            or kind in ('payout_manual_required', 'payout_unresolved')
               and r.status in ('COMPLETED', 'FAILED', 'REVERSED')
            or kind = 'payout_contradicted' and r.contradiction_closed_at is not null
               and (r.status = 'REVERSED' or r.corrected_at is not null));
  end if;
  return true;
end
$$;


--
-- Name: name_task_owner(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.name_task_owner() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  merchant_ text;
  environment_ text;
begin
  select merchant_id, environment into merchant_, environment_
    from (select merchant_id, environment from payments where id = new.payment_id
          union all
          select merchant_id, environment from payouts where id = new.payout_id) as matter
   limit 1;
  new.merchant_id := coalesce(new.merchant_id, merchant_);
  new.environment := coalesce(new.environment, environment_, 'LIVE');
  return new;
end $$;


--
-- Name: note_failed_login(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.note_failed_login(user_ text, address_ text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  entry failed_logins;
begin
  insert into failed_logins as f (account, hour, address)
  values (coalesce(user_, ''), date_trunc('hour', now()), address_)
  on conflict (account, hour) do update set failures = f.failures + 1, address = excluded.address
  returning * into entry;
  if entry.failures = 1 then perform record_failed_logins(entry); end if;
end $$;


--
-- Name: payouts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payouts (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    bank_code text NOT NULL COLLATE pg_catalog."C",
    account_number text NOT NULL COLLATE pg_catalog."C",
    account_holder text NOT NULL,
    reference_id text,
    description text,
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    rail text COLLATE pg_catalog."C",
    rail_reference text,
    external_reference text,
    reversal_reference text,
    failure_code text COLLATE pg_catalog."C",
    is_unresolved boolean DEFAULT false NOT NULL,
    contradiction text COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    completed_at timestamp with time zone,
    failed_at timestamp with time zone,
    reversed_at timestamp with time zone,
    corrected_at timestamp with time zone,
    contradiction_closed_at timestamp with time zone,
    is_written_off boolean DEFAULT false NOT NULL,
    due_at timestamp with time zone,
    look_ups integer DEFAULT 0 NOT NULL,
    called_back_at timestamp with time zone,
    is_unknown boolean DEFAULT false NOT NULL,
    CONSTRAINT payouts_amount_check CHECK ((amount > 0)),
    CONSTRAINT payouts_check CHECK (((status <> 'PROCESSING'::text) OR (rail IS NOT NULL))),
    CONSTRAINT payouts_contradiction_check CHECK ((contradiction = ANY (ARRAY['completed'::text, 'failed'::text, 'reversed'::text]))),
    CONSTRAINT payouts_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text]))),
    CONSTRAINT payouts_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'COMPLETED'::text, 'FAILED'::text, 'MANUAL_REQUIRED'::text, 'REVERSED'::text]))),
    CONSTRAINT payouts_version_check CHECK ((version > 0))
);


--
-- Name: note_payout_events(public.payouts, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.note_payout_events(r public.payouts, p_events jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  notified bigint;
begin
  insert into payout_events (payout_id, version, type, at, event, merchant_id, environment, envelope)
  select r.id, e.version, e.type, e.at, e.event, case when e.envelope is not null then r.merchant_id end,
         case when e.envelope is not null then r.environment end, e.envelope
    from jsonb_to_recordset(p_events) as e (version integer, type text, at timestamptz, event text, envelope text);

  with made as (
    insert into webhook_deliveries (id, event_id, endpoint_id, payout_id, version, type, body)
    select 'del_' || left(encode(sha256(convert_to(e.event_id || ' ' || w.id, 'UTF8')), 'hex'), 32),
           e.event_id, w.id, r.id, e.version, e.webhook, e.envelope
      from jsonb_to_recordset(p_events) as e (version integer, event_id text, webhook text, envelope text)
      join webhook_endpoints w on w.merchant_id = r.merchant_id and w.environment = r.environment
     where w.active and e.webhook = any(w.events)
    on conflict do nothing
    returning id, endpoint_id)
  select count(pg_notify('kasir_due', endpoint_id || ' ' || id)) into notified from made;
end
$$;


--
-- Name: note_timeline(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.note_timeline() RETURNS timestamp with time zone
    LANGUAGE plpgsql
    AS $$
declare
  timeline_ integer := read_timeline();
  newest    postgres_timelines;
begin
  select * into newest from postgres_timelines order by id desc limit 1;
  if timeline_ <> coalesce(newest.timeline, 0) then
    insert into postgres_timelines (timeline) values (timeline_) returning * into newest;
  end if;
  if exists (select from postgres_timelines where timeline <> newest.timeline) then
    return newest.first_seen_at;
  end if;
  return '-infinity';
end
$$;


--
-- Name: post(text, text, integer, text, text, bigint, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.post(cause_kind_ text, cause_id_ text, version_ integer, debit_ text, credit_ text, amount_ bigint, currency_ text, reason_ text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
  values (cause_kind_, cause_id_, version_, 0, debit_, credit_, amount_, currency_, reason_,
          date_trunc('milliseconds', now()));
  insert into balance_rows as b (account, shard, currency, amount)
  select m.account, find_shard_of_cause(m.account, cause_id_), currency_, m.amount
    from (values (debit_, -amount_), (credit_, amount_)) as m (account, amount)
   order by m.account
  on conflict (account, shard) do update set amount = b.amount + excluded.amount;
end
$$;


--
-- Name: audit_heads; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_heads (
    chain text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    number bigint NOT NULL,
    hash bytea NOT NULL
)
WITH (fillfactor='50');


--
-- Name: put_audit_head(public.audit_heads); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.put_audit_head(head public.audit_heads) RETURNS void
    LANGUAGE sql
    AS $$
  insert into audit_heads (chain, day, number, hash)
  select head.chain, head.day, head.number, head.hash where head.chain is not null
  on conflict (chain, day) do update set number = excluded.number, hash = excluded.hash
$$;


--
-- Name: put_recovery_codes(text, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.put_recovery_codes(user_ text, digests text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  delete from recovery_codes where user_id = user_;
  insert into recovery_codes (user_id, digest) select user_, decode(d, 'hex') from unnest(digests) as d;
end $$;


--
-- Name: read_changed(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_changed(packed text) RETURNS TABLE(id text, status text, payment_method text, due_at_ms bigint, from_version integer, version integer, snapshot text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 7)::integer], r[2], r[3], r[4]::bigint, r[5]::integer, r[6]::integer, r[7]
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_created(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_created(packed text) RETURNS TABLE(id text, merchant_id text, environment text, at_ms bigint, status text, amount_minor bigint, currency text, payment_method text, reference_id text, due_at_ms bigint, version integer, snapshot text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 12)::integer], r[2], r[3], r[4]::bigint, r[5], r[6]::bigint, r[7], r[8], read_text(r[9]), r[10]::bigint, r[11]::integer, r[12]
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_deferred(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_deferred(packed text) RETURNS TABLE(partition smallint, position_ms bigint, position_seq bigint, index integer, payment_id text, source text, sender text, correlation text, command text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 9)::integer]::smallint, r[2]::bigint, r[3]::bigint, r[4]::integer, r[5], r[6], read_text(r[7]), read_text(r[8]), read_text(r[9])
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_envelope(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_envelope(envelope text, OUT event_id text, OUT name text) RETURNS record
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  id   text := split_part(envelope, '"', 4);
  type text := split_part(envelope, '"', 8);
begin
  perform envelope::json;
  if starts_with(envelope, '{"id":"' || id || '","type":"' || type || '","created_at":"')
     and starts_with(id, 'evt_') and length(id) > 4
     and translate(substr(id, 5), '0123456789abcdefghijklmnopqrstuvwxyz', '') = ''
     and translate(type, 'abcdefghijklmnopqrstuvwxyz', '') = '.'
     and type not like '.%' and type not like '%.' then
    event_id := id;
    name := type;
  end if;
exception when data_exception or program_limit_exceeded then
  return;
end $$;


--
-- Name: read_events(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_events(packed text) RETURNS TABLE(partition smallint, position_ms bigint, position_seq bigint, index integer, payment_id text, version integer, type text, event text, merchant_id text, environment text, envelope text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 11)::integer]::smallint, r[2]::bigint, r[3]::bigint, r[4]::integer, r[5], r[6]::integer, r[7], r[8], r[9], r[10], r[11]
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_positions(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_positions(packed text) RETURNS TABLE(partition smallint, epoch bigint, from_ms bigint, from_seq bigint, to_ms bigint, to_seq bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 6)::integer]::smallint, r[2]::bigint, r[3]::bigint, r[4]::bigint, r[5]::bigint, r[6]::bigint
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_postings(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_postings(packed text) RETURNS TABLE(partition smallint, payment_id text, version integer, index smallint, debit text, credit text, amount_minor bigint, currency text, reason text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 9)::integer]::smallint, r[2], r[3]::integer, r[4]::smallint, r[5], r[6], r[7]::bigint, r[8], r[9]
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_quarantined(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_quarantined(packed text) RETURNS TABLE(partition smallint, position_ms bigint, position_seq bigint, index integer, command text, error text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 6)::integer]::smallint, r[2]::bigint, r[3]::bigint, r[4]::integer, read_text(r[5]), read_text(r[6])
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_rail_calls(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_rail_calls(packed text) RETURNS TABLE(id text, payment_id text, rail text, operation text, request text, waited_ms integer)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 6)::integer], r[2], r[3], r[4], r[5], r[6]::integer
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_rail_transactions(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_rail_transactions(packed text) RETURNS TABLE(rail text, transaction_id text, payment_id text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 3)::integer], read_text(r[2]), r[3]
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_refunds(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_refunds(packed text) RETURNS TABLE(id text, payment_id text, merchant_id text, environment text, status text, created_at_ms bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 6)::integer], r[2], r[3], r[4], r[5], r[6]::bigint
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_resumed(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_resumed(packed text) RETURNS TABLE(partition smallint, position_ms bigint, position_seq bigint, index integer)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 4)::integer]::smallint, r[2]::bigint, r[3]::bigint, r[4]::integer
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_tasks(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_tasks(packed text) RETURNS TABLE(id text, kind text, payment_id text, details text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select r[1 / (cardinality(r) = 4)::integer], r[2], r[3], r[4]
    from (select string_to_array(row, E'\x1f', '') as r
            from unnest(string_to_array(packed, E'\x1e')) as row offset 0) as rows
$$;


--
-- Name: read_text(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_text(packed text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN replace(replace(replace(substr(packed, 2), 'c'::text, ''::text), 'b'::text, ''::text), 'a'::text, ''::text);


--
-- Name: read_timeline(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_timeline() RETURNS integer
    LANGUAGE plpgsql
    AS $$
begin
  return ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer;
exception
  when insufficient_privilege or undefined_function or feature_not_supported then return null;
end
$$;


--
-- Name: failed_logins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.failed_logins (
    account text NOT NULL COLLATE pg_catalog."C",
    hour timestamp with time zone NOT NULL,
    failures integer DEFAULT 1 NOT NULL,
    address text NOT NULL COLLATE pg_catalog."C"
)
WITH (fillfactor='50');


--
-- Name: record_failed_logins(public.failed_logins); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.record_failed_logins(entry public.failed_logins) RETURNS void
    LANGUAGE sql
    AS $$
  insert into audit_log (chain, actor, address, action, target, after)
  values (coalesce((select merchant_id from users where id = entry.account), ''), 'anonymous', entry.address,
          'login.failed', coalesce(nullif(entry.account, ''), 'unknown account'),
          json_build_object('hour', entry.hour at time zone 'UTC', 'failures', entry.failures)::text)
$$;


--
-- Name: record_reconciled_page(text, date, integer, double precision, text, text, integer, integer, double precision, integer, jsonb, jsonb, jsonb, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.record_reconciled_page(rail_ text, day_ date, lease_ integer, lease_ms double precision, next_step text, next_cursor text, matched_ integer, unanswered_ integer, again_ms double precision, again_most integer, sightings jsonb, differences jsonb, orphans jsonb, look_ups jsonb) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
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

  insert into rail_differences (rail, day, order_id, kind, field, subject, payment_id, ours, theirs)
  select rail_, day_, d."orderId", d.kind, d.field, d.subject, d."paymentId", d.ours, d.theirs
    from jsonb_to_recordset(differences)
      as d ("orderId" text, kind text, field text, subject text, "paymentId" text, ours text,
            theirs text)
  on conflict do nothing;
  insert into operator_tasks (id, kind, payment_id, payout_id, details, opened_at)
  select d.task ->> 'id', 'rail_difference', d."paymentId", d."payoutId", d.task ->> 'details',
         date_trunc('milliseconds', now())
    from jsonb_to_recordset(differences) as d ("paymentId" text, "payoutId" text, task jsonb)
   where d.task ->> 'id' is not null
  on conflict (id) do nothing;

  -- Orphans are decided like the unknown orders of callbacks.
  insert into rail_callbacks (rail, dedupe_key, status, subject_kind, subject_id, reference, amount,
                              currency, body, judge_at)
  select rail_, 'reconciliation ' || o."orderId", 'unknown_order', 'order', o."orderId", o.reference,
         o.amount::bigint, o.currency, ''::bytea, now()
    from jsonb_to_recordset(orphans) as o ("orderId" text, reference text, amount text, currency text)
  on conflict (rail, dedupe_key) do nothing;
  perform expedite_inquiries(rail_, look_ups);
  return true;
end
$$;


--
-- Name: refuse_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the audit log is append-only';
end $$;


--
-- Name: remove_factors(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remove_factors(user_ text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  had boolean;
begin
  select passkeys > 0 or totp_secret is not null into had from users where id = user_ for update;
  delete from passkeys where user_id = user_;
  update users set totp_secret = null, totp_confirmed_at = null, passkeys = 0 where id = user_;
  delete from recovery_codes where user_id = user_;
  return coalesce(had, false);
end $$;


--
-- Name: remove_idle_recovery_codes(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remove_idle_recovery_codes(user_ text) RETURNS void
    LANGUAGE sql
    AS $$
  delete from recovery_codes
   where user_id = user_ and not (select has_second_factor(u) from users u where u.id = user_)
$$;


--
-- Name: remove_passkey(text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remove_passkey(user_ text, keep text, passkey text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  perform 1 from users where id = user_ for update;
  perform hold_session(keep);
  delete from passkeys where id = passkey and user_id = user_;
  if not found then return false; end if;
  update users set passkeys = passkeys - 1 where id = user_;
  perform remove_idle_recovery_codes(user_);
  perform end_sessions(user_, keep);
  return true;
end $$;


--
-- Name: remove_totp(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remove_totp(user_ text, keep text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  update users set totp_secret = null, totp_confirmed_at = null
   where id = user_ and totp_secret is not null;
  if not found then return false; end if;
  perform hold_session(keep);
  perform remove_idle_recovery_codes(user_);
  perform end_sessions(user_, keep);
  return true;
end $$;


--
-- Name: remove_user(text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remove_user(session_ text, merchant text, user_ text) RETURNS text
    LANGUAGE plpgsql
    AS $$
begin
  perform begin_change_of_user(session_, merchant, user_);
  perform 1 from users where id = user_ and merchant_id = merchant;
  if not found then return 'missing'; end if;
  if not has_other_owner(merchant, user_) then return 'last_owner'; end if;
  delete from users where id = user_;
  return 'done';
end $$;


--
-- Name: remove_work_of_stranger(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remove_work_of_stranger(user_ text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  merchant constant text := (select merchant_id from users where id = user_);
begin
  perform 1 from users where merchant_id = merchant order by id for update;
  update sessions set ended_at = now()
   where user_id in (select id from users where merchant_id = merchant) and ended_at is null;
  perform lock_users(merchant);
  update api_keys set revoked_at = now()
   where merchant_id = merchant and (revoked_at is null or revoked_at > now());
  update webhook_endpoints
     set active = false, deleted_at = now(), secret = '', next_secret = null, switch_at = null
   where merchant_id = merchant and deleted_at is null;
  update payment_links set active = false where merchant_id = merchant and active;
  delete from users where merchant_id = merchant and id <> user_;
  perform remove_factors(user_);
end $$;


--
-- Name: renew_recovery_codes(text, text, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.renew_recovery_codes(user_ text, session_ text, codes text[]) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  perform 1 from users u where id = user_ and has_second_factor(u) for update;
  if not found then return false; end if;
  perform hold_session(session_);
  perform put_recovery_codes(user_, codes);
  return true;
end $$;


--
-- Name: replace_search_terms(text, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.replace_search_terms(payment text, words text[]) RETURNS void
    LANGUAGE sql
    AS $$
  insert into payment_search (merchant_id, environment, created_at, payment_id, terms)
  select p.merchant_id, p.environment, p.created_at, p.id, array_to_tsvector(words)
    from payments p where p.id = payment
  on conflict (merchant_id, environment, created_at, payment_id) do update set terms = excluded.terms
$$;


--
-- Name: report_failed_logins(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.report_failed_logins(most integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  entry failed_logins;
  reported integer := 0;
begin
  for entry in delete from failed_logins where (account, hour) in (
      select account, hour from failed_logins where hour < date_trunc('hour', now())
       order by hour, account limit most for update skip locked)
    returning * loop
    if entry.failures > 1 then perform record_failed_logins(entry); end if;
    reported := reported + 1;
  end loop;
  return reported;
end $$;


--
-- Name: reserve_payout(jsonb, text, jsonb, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reserve_payout(p_row jsonb, p_key text, p_events jsonb, p_postings jsonb) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  r         payouts := jsonb_populate_record(null::payouts, p_row);
  claimed   text;
  available bigint;
begin
  if p_key is not null then
    insert into idempotency_claims as c (merchant_id, environment, kind, key, fingerprint, object_id)
    values (r.merchant_id, r.environment, 'payout', p_key, r.fingerprint, r.id)
    on conflict (merchant_id, environment, kind, key) do update set uses = c.uses
    returning c.fingerprint into claimed;
    if claimed <> r.fingerprint then return 'idempotency_conflict'; end if;
  end if;
  perform from payouts where id = r.id;
  if found then return 'replayed'; end if;

  select amount into available from balance_rows where account = p_postings -> 0 ->> 'debit' for update;
  if coalesce(available, 0) < r.amount then return 'balance_insufficient'; end if;

  r.due_at := now();
  r.look_ups := 0;
  r.is_unknown := false;
  insert into payouts select r.*;
  perform note_payout_events(r, p_events);
  perform book_payout_postings(r.id, p_postings);
  return 'created';
end
$$;


--
-- Name: reset_factors(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reset_factors(user_ text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  if not remove_factors(user_) then return false; end if;
  perform end_sessions(user_, null);
  return true;
end $$;


--
-- Name: resolve_task(text, text, text, text, text, text, text, text, text, text, bigint, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.resolve_task(task text, standing text, action_ text, note_ text, reference_ text, merchant_ text, payment_ text, by_ text, debit_ text, credit_ text, amount_ bigint, currency_ text, reason_ text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  resolved operator_tasks;
begin
  perform from payouts where id = (select t.payout_id from operator_tasks t where t.id = task) for update;
  perform from operator_tasks
    where kind = 'settlement_suspended' and payment_id = (
      select t.payment_id from operator_tasks t where t.id = task and t.kind = 'suspense_reversed')
    order by id for update;
  update operator_tasks
     set status = 'resolved', action = action_, note = note_, external_reference = reference_,
         target_merchant = merchant_, target_payment = payment_, resolved_by = by_,
         resolved_at = now()
   where id = task and status = 'open'
  returning * into resolved;
  if not found then return false; end if;
  if task_standing(resolved) <> standing then
    raise exception 'the matter of a task has moved' using errcode = 'KS004';
  end if;
  if resolved.kind = 'payout_contradicted' then
    update payouts
       set contradiction_closed_at = date_trunc('milliseconds', now()),
           is_written_off = is_written_off or action_ = 'write_off'
     where id = resolved.payout_id;
  end if;
  if amount_ is not null then
    perform post('task', task, 2, debit_, credit_, amount_, currency_, reason_);
  end if;
  return true;
end
$$;


--
-- Name: set_administrator(text, text, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.set_administrator(session_ text, admin_ text, is_disabled boolean) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  was_disabled boolean;
begin
  perform 1 from users where role = 'admin' order by id for update;
  perform hold_session(session_);
  select disabled_at is not null into was_disabled from users where id = admin_ and role = 'admin';
  if not found then return 'missing'; end if;
  if is_disabled and exists (select from sessions where id = session_ and user_id = admin_) then return 'self'; end if;
  if is_disabled = was_disabled then return 'same'; end if;
  if is_disabled and not exists (select from users where role = 'admin' and id <> admin_ and disabled_at is null) then
    return 'last';
  end if;
  update users set disabled_at = case when is_disabled then now() end where id = admin_;
  if is_disabled then perform end_sessions(admin_, null); end if;
  return 'done';
end $$;


--
-- Name: set_live(text, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.set_live(merchant text, is_enabled boolean) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  status_ text;
begin
  select verification_status into status_ from merchants where id = merchant for update;
  if not found then return 'missing'; end if;
  if is_enabled and status_ <> 'APPROVED' then return status_; end if;
  update merchants set live_enabled = is_enabled where id = merchant;
  return 'done';
end $$;


--
-- Name: invoices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invoices (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    number bigint,
    status text DEFAULT 'draft'::text NOT NULL COLLATE pg_catalog."C",
    customer_name text,
    customer_email text,
    language text NOT NULL COLLATE pg_catalog."C",
    notes text,
    currency text NOT NULL COLLATE pg_catalog."C",
    items text NOT NULL,
    total bigint NOT NULL,
    due_at timestamp with time zone,
    revision integer DEFAULT 1 NOT NULL,
    payment_id text COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
    finalized_at timestamp with time zone,
    paid_at timestamp with time zone,
    voided_at timestamp with time zone,
    sent_at timestamp with time zone,
    reminded_at timestamp with time zone,
    CONSTRAINT invoices_check CHECK (((number IS NULL) = (finalized_at IS NULL))),
    CONSTRAINT invoices_check1 CHECK (((status = 'paid'::text) = (payment_id IS NOT NULL))),
    CONSTRAINT invoices_check2 CHECK (((status = ANY (ARRAY['draft'::text, 'void'::text])) OR (number IS NOT NULL))),
    CONSTRAINT invoices_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text]))),
    CONSTRAINT invoices_language_check CHECK ((language = ANY (ARRAY['id'::text, 'en'::text]))),
    CONSTRAINT invoices_number_check CHECK ((number > 0)),
    CONSTRAINT invoices_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'open'::text, 'paid'::text, 'void'::text]))),
    CONSTRAINT invoices_total_check CHECK ((total > 0))
);


--
-- Name: settle_invoice(public.invoices); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settle_invoice(invoice public.invoices) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  paying text;
begin
  if invoice.status <> 'void' then
    select i.payment_id into paying
      from invoice_payments i join payments p on p.id = i.payment_id
     where i.invoice_id = invoice.id and p.status in ('paid', 'refunded')
     order by (i.payment_id = invoice.payment_id) desc nulls last, i.attempt limit 1;
    update invoices
       set status = case when paying is null then 'open' else 'paid' end, payment_id = paying,
           -- From the text, not from parsed JSON, for the reason given at read_envelope.
           paid_at = (select substring(e.envelope from '"paid_at":"([0-9TZ:.-]+)"')::timestamptz
                        from payment_events e where e.payment_id = paying and e.envelope is not null
                       order by e.version desc limit 1)
     where id = invoice.id and payment_id is distinct from paying;
  end if;
  -- Versions of payments begin at 1, so a payment's own tasks never have an id that ends in 000000.
  insert into operator_tasks (id, kind, payment_id, details, opened_at)
  select 'task_' || substr(p.id, 5) || '000000',
         case invoice.status when 'void' then 'invoice_paid_void' else 'invoice_paid_twice' end, p.id,
         json_strip_nulls(json_build_object('invoice', invoice.id, 'number', invoice_number(invoice.number),
                                            'paidBy', paying))::text, now()
    from invoice_payments i join payments p on p.id = i.payment_id
   where i.invoice_id = invoice.id and p.status in ('paid', 'refunded') and p.id is distinct from paying
  on conflict (id) do nothing;
end $$;


--
-- Name: settle_invoices(text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settle_invoices(payments_ text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  invoice invoices;
begin
  for invoice in
    select * from invoices
     where id in (select invoice_id from invoice_payments where payment_id = any(payments_))
     order by id for no key update
  loop
    perform act_as('payments', '');
    perform settle_invoice(invoice);
  end loop;
end $$;


--
-- Name: settle_payment_link_uses(text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settle_payment_link_uses(payments_ text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  perform from payment_links
    where id in (select link_id from payment_link_uses where payment_id = any(payments_))
    order by id for no key update;
  if not found then return; end if;
  with now_ as (
    select u.payment_id, u.state as was,
           case when p.status in ('paid', 'refunded') then 'paid'
                when p.status in ('failed', 'cancelled') then 'given_back'
                else 'made' end as is_now
      from payment_link_uses u join payments p on p.id = u.payment_id
     where u.payment_id = any(payments_)),
  changed as (
    update payment_link_uses u set state = n.is_now from now_ n
     where u.payment_id = n.payment_id and n.is_now <> n.was
    returning u.link_id, (n.is_now <> 'given_back')::integer - (n.was <> 'given_back')::integer as more)
  update payment_links l set uses = l.uses + c.more
    from (select link_id, sum(more) as more from changed group by link_id) c
   where l.id = c.link_id and c.more <> 0;
end $$;


--
-- Name: show_audited(text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.show_audited(mark text, value jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select case when mark = '#' and value <> 'null' then '"[secret]"' else value end
$$;


--
-- Name: shows_amount(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.shows_amount(envelope text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  select split_part(envelope, '"', 24) = 'amount' and split_part(envelope, '"', 28) = 'currency'
$$;


--
-- Name: split(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.split(joined text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN string_to_array(joined, ''::text, ''::text);


--
-- Name: step_webhook_replay(text, text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.step_webhook_replay(replay text, endpoint text, most integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  part record;
  room integer;
  found_ integer;
  moved_ integer := 0;
  last_at timestamptz;
begin
  select p.reached_at, r.type, r.reason, r.from_at, r.until_at, r.with_pending, w.active into part
    from webhook_replay_parts p
    join webhook_replays r on r.id = p.replay_id
    join webhook_endpoints w on w.id = p.endpoint_id
   where p.replay_id = replay and p.endpoint_id = endpoint and p.completed_at is null
     for update of p skip locked;
  if not found then return null; end if;
  room := most - (select count(*) from webhook_deliveries
                   where replay_id = replay and endpoint_id = endpoint and status = 'pending' and step = 0);
  if part.active and room > 0 then
    with page as materialized (
      select f.id, f.at
        from failed_webhooks(endpoint, part.type, part.reason, part.reached_at, part.until_at,
                             part.with_pending) f
        join webhook_deliveries d on d.id = f.id and d.replay_id is distinct from replay
       order by f.at, f.id limit room),
    moved as (
      update webhook_deliveries d
         set status = 'pending', step = 0, settled_at = null, next_attempt_at = now(), replay_id = replay
        from page
       where d.id = page.id and (d.status = 'dead' or (d.status = 'pending' and d.step > 0))
         and d.replay_id is distinct from replay
      returning d.id)
    select (select count(*) from page), (select max(at) from page), (select count(*) from moved)
      into found_, last_at, moved_;
  end if;
  update webhook_replay_parts p
     set done = p.done + moved_,
         failed = case when part.active then p.failed else greatest(0, p.total - p.done) end,
         reached_at = coalesce(last_at, p.reached_at), touched_at = clock_timestamp(),
         completed_at = case when not part.active or found_ < room then now() end
   where p.replay_id = replay and p.endpoint_id = endpoint;
  return moved_;
end $$;


--
-- Name: submit_kyc(text, text, text, text[], text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.submit_kyc(merchant text, id_ text, fields_ text, documents text[], by_ text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  status_ text;
begin
  select verification_status into status_ from merchants where id = merchant for update;
  if status_ not in ('UNVERIFIED', 'REJECTED') then return status_; end if;
  if exists (select 1 from unnest(documents) as d where not exists
              (select 1 from kyc_documents k where k.id = d and k.merchant_id = merchant)) then
    return 'documents';
  end if;
  insert into kyc_submissions (id, merchant_id, fields, document_ids, submitted_by)
  values (id_, merchant, fields_, documents, by_);
  update merchants set verification_status = 'PENDING' where id = merchant;
  return 'done';
end $$;


--
-- Name: takes_payments(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.takes_payments(merchant text, environment_ text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select environment_ = 'TEST' or exists (
    select from merchants m
     where m.id = merchant and m.verification_status = 'APPROVED' and m.live_enabled
       and not exists (select from switches s where s.name = 'merchant:' || m.id and not s.is_on))
$$;


--
-- Name: operator_tasks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.operator_tasks (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    payment_id text COLLATE pg_catalog."C",
    payout_id text COLLATE pg_catalog."C",
    merchant_id text COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    details text NOT NULL,
    status text DEFAULT 'open'::text NOT NULL COLLATE pg_catalog."C",
    opened_at timestamp with time zone NOT NULL,
    resolved_at timestamp with time zone,
    resolved_by text COLLATE pg_catalog."C",
    action text COLLATE pg_catalog."C",
    note text,
    is_ending boolean DEFAULT false NOT NULL,
    external_reference text,
    target_merchant text COLLATE pg_catalog."C",
    target_payment text COLLATE pg_catalog."C",
    CONSTRAINT operator_tasks_action_resolves CHECK (((action IS NULL) OR (status = 'resolved'::text))),
    CONSTRAINT operator_tasks_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text]))),
    CONSTRAINT operator_tasks_status_check CHECK ((status = ANY (ARRAY['open'::text, 'resolved'::text])))
);


--
-- Name: task_standing(public.operator_tasks); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.task_standing(t public.operator_tasks) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case
    when t.kind = 'settlement_suspended' then
      case when exists (
        select from operator_tasks s
         where s.payment_id = t.payment_id and s.kind = 'suspense_reversed'
           and s.details::jsonb ->> 'rail' = t.details::jsonb ->> 'rail'
           and s.details::jsonb ->> 'railTransactionId' = t.details::jsonb ->> 'railTransactionId')
      then 'reversed' else 'standing' end
    when t.kind = 'suspense_reversed' then coalesce((
      select case when s.action = 'return' then 'returned'
                  when s.action in ('credit', 'assign') then 'credited:' || s.target_merchant end
        from operator_tasks s
       where s.payment_id = t.payment_id and s.kind = 'settlement_suspended'
         and s.details::jsonb ->> 'rail' = t.details::jsonb ->> 'rail'
         and s.details::jsonb ->> 'railTransactionId' = t.details::jsonb ->> 'railTransactionId'),
      'unspent')
    when t.kind = 'payout_contradicted' then coalesce((
      select case when o.is_written_off then 'written_off' else lower(o.status) end
        from payouts o where o.id = t.payout_id), 'standing')
    when t.kind = 'rail_difference' then
      case when t.details::jsonb ? 'booking' then 'bookable' else 'standing' end
    when t.details::jsonb ? 'refundId' then coalesce((
      select case when t.is_ending and r.status = 'failed' then 'ending' else r.status end
        from refunds r
       where r.id = t.details::jsonb ->> 'refundId' and r.status in ('succeeded', 'failed')), 'open')
    else 'standing' end
$$;


--
-- Name: undo_probe(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.undo_probe() RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'probe' using errcode = 'KS000';
end
$$;


--
-- Name: void_invoice(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.void_invoice(id_ text, merchant text) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  status_ text;
begin
  select status into status_ from invoices where id = id_ and merchant_id = merchant for no key update;
  if not found then return 'missing'; end if;
  if status_ not in ('draft', 'open') then return status_; end if;
  update invoices set status = 'void', voided_at = date_trunc('milliseconds', clock_timestamp())
   where id = id_;
  return 'done';
end $$;


--
-- Name: wait_for_mail(text, text, text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.wait_for_mail(budget_ text, merchant text, mailbox_ text, hourly integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  daily constant integer := (mail_limits(budget_)).daily;
  free_at timestamptz;
begin
  if merchant is not null then
    perform pg_advisory_xact_lock(hashtextextended('mails of ' || merchant, 0));
  end if;
  perform pg_advisory_xact_lock(hashtextextended('mails to ' || mailbox_, 0));
  select max(at) into free_at from (
    (select created_at + interval '1 hour' from mails
      where merchant_id = merchant and budget = budget_ and hourly > 0
      order by created_at desc offset greatest(hourly - 1, 0) limit 1)
    union all
    (select created_at + interval '1 day' from mails
      where mailbox = mailbox_ and budget = budget_
      order by created_at desc offset daily - 1 limit 1)) as bounds (at);
  return coalesce(greatest(0, ceil(extract(epoch from free_at - clock_timestamp())))::integer, 0);
end $$;


--
-- Name: write_notice(text, text, text, json); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.write_notice(kind_ text, merchant text, fact_ text, details_ json) RETURNS void
    LANGUAGE sql
    AS $$
  insert into notices (kind, merchant_id, fact, details)
  select kind_, m.id, fact_, details_::text from merchants m where m.id = merchant and kind_ = any(m.notices)
  on conflict do nothing
$$;


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    name text,
    prefix text NOT NULL COLLATE pg_catalog."C",
    last_four text NOT NULL COLLATE pg_catalog."C",
    digest bytea NOT NULL,
    scopes text[] DEFAULT '{}'::text[] NOT NULL,
    allowed_addresses text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT api_keys_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text])))
);


--
-- Name: api_logs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_logs (
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL,
    query text,
    status smallint NOT NULL,
    code text COLLATE pg_catalog."C",
    duration_ms integer NOT NULL,
    idempotency_key text,
    payment_id text COLLATE pg_catalog."C",
    request_body text,
    response_body text
)
PARTITION BY RANGE (at);


--
-- Name: api_logs_20261127; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_logs_20261127 (
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL,
    query text,
    status smallint NOT NULL,
    code text COLLATE pg_catalog."C",
    duration_ms integer NOT NULL,
    idempotency_key text,
    payment_id text COLLATE pg_catalog."C",
    request_body text,
    response_body text
);


--
-- Name: api_logs_20261128; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_logs_20261128 (
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL,
    query text,
    status smallint NOT NULL,
    code text COLLATE pg_catalog."C",
    duration_ms integer NOT NULL,
    idempotency_key text,
    payment_id text COLLATE pg_catalog."C",
    request_body text,
    response_body text
);


--
-- Name: api_logs_20261129; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_logs_20261129 (
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL,
    query text,
    status smallint NOT NULL,
    code text COLLATE pg_catalog."C",
    duration_ms integer NOT NULL,
    idempotency_key text,
    payment_id text COLLATE pg_catalog."C",
    request_body text,
    response_body text
);


--
-- Name: api_logs_20261130; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_logs_20261130 (
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL,
    query text,
    status smallint NOT NULL,
    code text COLLATE pg_catalog."C",
    duration_ms integer NOT NULL,
    idempotency_key text,
    payment_id text COLLATE pg_catalog."C",
    request_body text,
    response_body text
);


--
-- Name: api_logs_20261201; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_logs_20261201 (
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL,
    query text,
    status smallint NOT NULL,
    code text COLLATE pg_catalog."C",
    duration_ms integer NOT NULL,
    idempotency_key text,
    payment_id text COLLATE pg_catalog."C",
    request_body text,
    response_body text
);


--
-- Name: approvals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.approvals (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'proposed'::text NOT NULL COLLATE pg_catalog."C",
    merchant_id text COLLATE pg_catalog."C",
    payment_id text COLLATE pg_catalog."C",
    refund_id text COLLATE pg_catalog."C",
    payout_id text COLLATE pg_catalog."C",
    task_id text COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    reference text NOT NULL,
    request text NOT NULL,
    reason text,
    proposed_by text NOT NULL COLLATE pg_catalog."C",
    proposed_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
    decided_by text COLLATE pg_catalog."C",
    decided_at timestamp with time zone,
    decision_reason text,
    ended_at timestamp with time zone,
    outcome_code text COLLATE pg_catalog."C",
    outcome_message text,
    claim integer DEFAULT 0 NOT NULL,
    claimed_until timestamp with time zone,
    CONSTRAINT approvals_amount_check CHECK ((amount > 0)),
    CONSTRAINT approvals_decided CHECK ((((status = 'proposed'::text) = (decided_by IS NULL)) AND ((decided_by IS NULL) = (decided_at IS NULL)))),
    CONSTRAINT approvals_ended CHECK (((status = ANY (ARRAY['applied'::text, 'refused'::text, 'rejected'::text])) = (ended_at IS NOT NULL))),
    CONSTRAINT approvals_environment_check CHECK ((environment = 'LIVE'::text)),
    CONSTRAINT approvals_four_eyes CHECK (((decided_by IS NULL) OR (status = 'rejected'::text) OR (decided_by <> proposed_by))),
    CONSTRAINT approvals_kind_check CHECK ((kind = ANY (ARRAY['settlement'::text, 'reversal'::text, 'refund'::text, 'chargeback'::text, 'adjustment_credit'::text, 'adjustment_debit'::text, 'reserve_hold'::text, 'reserve_release'::text, 'refund_completion'::text, 'refund_failure'::text, 'payout_completion'::text, 'payout_failure'::text, 'payout_reversal'::text, 'task_resolution'::text]))),
    CONSTRAINT approvals_outcome CHECK (((status = 'refused'::text) = (outcome_code IS NOT NULL))),
    CONSTRAINT approvals_status_check CHECK ((status = ANY (ARRAY['proposed'::text, 'approved'::text, 'applied'::text, 'refused'::text, 'rejected'::text])))
);


--
-- Name: audit_log_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: balance_checkpoints; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.balance_checkpoints (
    account text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    amount bigint NOT NULL
);


--
-- Name: balance_rows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.balance_rows (
    account text NOT NULL COLLATE pg_catalog."C",
    shard smallint DEFAULT 0 NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL
)
WITH (fillfactor='50');


--
-- Name: balances; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.balances AS
 SELECT balance_rows.account,
    min(balance_rows.currency) AS currency,
    (sum(balance_rows.amount))::bigint AS amount
   FROM public.balance_rows
  GROUP BY balance_rows.account;


--
-- Name: deferred_commands; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deferred_commands (
    partition smallint NOT NULL,
    position_ms bigint NOT NULL,
    position_seq bigint NOT NULL,
    index integer NOT NULL,
    payment_id text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    sender text NOT NULL,
    correlation text NOT NULL,
    command text NOT NULL,
    deferred_at timestamp with time zone NOT NULL,
    CONSTRAINT deferred_commands_source_check CHECK ((source = ANY (ARRAY['gateway'::text, 'rails'::text, 'webhooks'::text])))
);


--
-- Name: erasure_finds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.erasure_finds (
    request_id text NOT NULL COLLATE pg_catalog."C",
    subject_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: erasure_walks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.erasure_walks (
    kind text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    reached_at timestamp with time zone NOT NULL,
    reached_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: erasures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.erasures (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    with_reference boolean NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    look_at timestamp with time zone DEFAULT now() NOT NULL,
    erased_at timestamp with time zone,
    swept_at timestamp with time zone
);


--
-- Name: idempotency_claims; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_claims (
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    object_id text NOT NULL COLLATE pg_catalog."C",
    uses integer DEFAULT 1 NOT NULL,
    claimed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_claims_uses_check CHECK ((uses >= 0))
);


--
-- Name: installation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.installation (
    only_row boolean DEFAULT true NOT NULL,
    partitions smallint NOT NULL,
    id_key_fingerprint text NOT NULL COLLATE pg_catalog."C",
    installed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT installation_only_row_check CHECK (only_row),
    CONSTRAINT installation_partitions_check CHECK (((partitions >= 1) AND (partitions <= 1024)))
);


--
-- Name: invoice_counters; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invoice_counters (
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    last_number bigint NOT NULL
)
WITH (fillfactor='50');


--
-- Name: invoice_payments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invoice_payments (
    invoice_id text NOT NULL COLLATE pg_catalog."C",
    attempt integer NOT NULL,
    payment_id text NOT NULL COLLATE pg_catalog."C",
    begun_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: kyc_document_parts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kyc_document_parts (
    id text NOT NULL COLLATE pg_catalog."C",
    document_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    content bytea NOT NULL
);
ALTER TABLE ONLY public.kyc_document_parts ALTER COLUMN content SET STORAGE EXTERNAL;


--
-- Name: kyc_documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kyc_documents (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL COLLATE pg_catalog."C",
    filename text NOT NULL,
    media_type text NOT NULL COLLATE pg_catalog."C",
    size integer NOT NULL,
    content bytea,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.kyc_documents ALTER COLUMN content SET STORAGE EXTERNAL;


--
-- Name: kyc_submissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kyc_submissions (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    fields text NOT NULL COLLATE pg_catalog."C",
    document_ids text[] NOT NULL,
    submitted_by text NOT NULL COLLATE pg_catalog."C",
    submitted_at timestamp with time zone DEFAULT now() NOT NULL,
    status text DEFAULT 'PENDING'::text NOT NULL COLLATE pg_catalog."C",
    decided_at timestamp with time zone,
    reason text,
    field_reasons text,
    CONSTRAINT kyc_submissions_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REJECTED'::text])))
);


--
-- Name: kyc_uploads; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kyc_uploads (
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: mails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mails (
    id text NOT NULL COLLATE pg_catalog."C",
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    budget text DEFAULT 'notice'::text NOT NULL COLLATE pg_catalog."C",
    mailbox text NOT NULL COLLATE pg_catalog."C",
    merchant_id text COLLATE pg_catalog."C",
    invoice_id text COLLATE pg_catalog."C",
    payment_id text COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
    sent_at timestamp with time zone,
    error text,
    CONSTRAINT mails_budget_check CHECK ((budget = ANY (ARRAY['registration'::text, 'reset'::text, 'invite'::text, 'invoice'::text, 'notice'::text, 'operation'::text, 'payment'::text, 'receipt'::text])))
);


--
-- Name: merchant_logos; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.merchant_logos (
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    media_type text NOT NULL COLLATE pg_catalog."C",
    content bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT merchant_logos_media_type_check CHECK ((media_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text])))
);
ALTER TABLE ONLY public.merchant_logos ALTER COLUMN content SET STORAGE EXTERNAL;


--
-- Name: merchant_rail_routes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.merchant_rail_routes (
    id text GENERATED ALWAYS AS (((merchant_id || ' '::text) || method)) STORED COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    rails text[] NOT NULL,
    CONSTRAINT merchant_rail_routes_rails_check CHECK (((cardinality(rails) >= 1) AND (cardinality(rails) <= 5)))
);


--
-- Name: merchants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.merchants (
    id text NOT NULL COLLATE pg_catalog."C",
    business_name text NOT NULL,
    verification_status text DEFAULT 'UNVERIFIED'::text NOT NULL COLLATE pg_catalog."C",
    live_enabled boolean DEFAULT false NOT NULL,
    display_name text,
    brand_colour text COLLATE pg_catalog."C",
    support_email text,
    support_phone text,
    support_url text,
    notices text[] DEFAULT '{endpoint_disabled,endpoint_failing,kyc_decided,payout_failed}'::text[] NOT NULL,
    sends_receipts boolean DEFAULT false NOT NULL,
    receipt_language text DEFAULT 'id'::text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT merchants_brand_colour_check CHECK ((brand_colour ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT merchants_notices_check CHECK ((notices <@ '{endpoint_disabled,endpoint_failing,kyc_decided,payment_received,payout_failed}'::text[])),
    CONSTRAINT merchants_receipt_language_check CHECK ((receipt_language = ANY (ARRAY['id'::text, 'en'::text]))),
    CONSTRAINT merchants_verification_status_check CHECK ((verification_status = ANY (ARRAY['UNVERIFIED'::text, 'PENDING'::text, 'APPROVED'::text, 'REJECTED'::text, 'SUSPENDED'::text])))
);


--
-- Name: notices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notices (
    id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    fact text NOT NULL COLLATE pg_catalog."C",
    details text NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    next_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    error text,
    CONSTRAINT notices_kind_check CHECK ((kind = ANY (ARRAY['endpoint_failing'::text, 'endpoint_disabled'::text, 'payment_received'::text, 'payout_failed'::text, 'kyc_decided'::text, 'receipt'::text])))
);


--
-- Name: notices_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.notices ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.notices_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: one_time_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.one_time_links (
    digest bytea NOT NULL,
    purpose text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT one_time_links_purpose_check CHECK ((purpose = ANY (ARRAY['verify'::text, 'reset'::text, 'invite'::text])))
);


--
-- Name: owner_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.owner_events (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    subject_id text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone DEFAULT now() NOT NULL,
    details text NOT NULL,
    CONSTRAINT owner_events_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text]))),
    CONSTRAINT owner_events_type_check CHECK ((type = 'endpoint.disabled'::text))
);


--
-- Name: parked_commands; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parked_commands (
    partition smallint NOT NULL,
    position_ms bigint NOT NULL,
    position_seq bigint NOT NULL,
    index integer NOT NULL,
    command text NOT NULL,
    error text NOT NULL,
    parked_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: partitions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.partitions (
    id smallint NOT NULL,
    owner text COLLATE pg_catalog."C",
    epoch bigint DEFAULT 0 NOT NULL,
    position_ms bigint DEFAULT 0 NOT NULL,
    position_seq bigint DEFAULT 1 NOT NULL
)
WITH (fillfactor='20', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');


--
-- Name: passkey_challenges; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.passkey_challenges (
    challenge bytea NOT NULL,
    user_id text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL COLLATE pg_catalog."C",
    session_id text COLLATE pg_catalog."C",
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT passkey_challenges_check CHECK (((session_id IS NULL) = (purpose = 'login'::text))),
    CONSTRAINT passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'login'::text, 'step_up'::text])))
);


--
-- Name: payment_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_events (
    partition smallint NOT NULL,
    position_ms bigint NOT NULL,
    position_seq bigint NOT NULL,
    index integer NOT NULL,
    payment_id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    event text NOT NULL,
    merchant_id text COLLATE pg_catalog."C",
    environment text COLLATE pg_catalog."C",
    envelope text
);


--
-- Name: payment_follower_cursors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_follower_cursors (
    partition smallint NOT NULL,
    position_ms bigint DEFAULT 0 NOT NULL,
    position_seq bigint DEFAULT 0 NOT NULL,
    index integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='20');


--
-- Name: payment_link_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_link_uses (
    payment_id text NOT NULL COLLATE pg_catalog."C",
    link_id text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'claimed'::text NOT NULL COLLATE pg_catalog."C",
    claimed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    asked_at timestamp with time zone,
    CONSTRAINT payment_link_uses_state_check CHECK ((state = ANY (ARRAY['claimed'::text, 'made'::text, 'paid'::text, 'given_back'::text])))
);


--
-- Name: payment_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_links (
    id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    description text,
    amount bigint,
    min_amount bigint,
    max_amount bigint,
    currency text NOT NULL COLLATE pg_catalog."C",
    max_uses integer,
    uses integer DEFAULT 0 NOT NULL,
    active boolean DEFAULT true NOT NULL,
    expires_at timestamp with time zone,
    success_url text,
    created_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
    CONSTRAINT payment_links_amount_check CHECK ((amount > 0)),
    CONSTRAINT payment_links_check CHECK ((max_amount >= min_amount)),
    CONSTRAINT payment_links_check1 CHECK ((((amount IS NULL) = (min_amount IS NOT NULL)) AND ((amount IS NULL) = (max_amount IS NOT NULL)))),
    CONSTRAINT payment_links_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text]))),
    CONSTRAINT payment_links_max_uses_check CHECK ((max_uses > 0)),
    CONSTRAINT payment_links_min_amount_check CHECK ((min_amount > 0)),
    CONSTRAINT payment_links_uses_check CHECK ((uses >= 0))
)
WITH (fillfactor='70');


--
-- Name: payment_search; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_search (
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    payment_id text NOT NULL COLLATE pg_catalog."C",
    terms tsvector NOT NULL,
    CONSTRAINT payment_search_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text])))
);


--
-- Name: payment_search_cursors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_search_cursors (
    partition smallint NOT NULL,
    position_ms bigint DEFAULT 0 NOT NULL,
    position_seq bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='20');


--
-- Name: payment_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_totals (
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    quarter timestamp with time zone NOT NULL,
    outcome text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    events bigint NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT payment_totals_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text]))),
    CONSTRAINT payment_totals_outcome_check CHECK ((outcome = ANY (ARRAY['paid'::text, 'failed'::text, 'cancelled'::text, 'refunded'::text, 'reversed'::text])))
)
WITH (fillfactor='80');


--
-- Name: payment_totals_cursors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_totals_cursors (
    partition smallint NOT NULL,
    position_ms bigint DEFAULT 0 NOT NULL,
    position_seq bigint DEFAULT 0 NOT NULL,
    index integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='20');


--
-- Name: payments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payments (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    payment_method text COLLATE pg_catalog."C",
    reference_id text,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    version integer NOT NULL,
    snapshot text NOT NULL,
    CONSTRAINT payments_amount_check CHECK ((amount > 0)),
    CONSTRAINT payments_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text]))),
    CONSTRAINT payments_status_check CHECK ((status = ANY (ARRAY['creating'::text, 'pending'::text, 'paid'::text, 'failed'::text, 'cancelled'::text, 'refunded'::text]))),
    CONSTRAINT payments_version_check CHECK ((version > 0))
)
WITH (fillfactor='90');


--
-- Name: payments_processes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payments_processes (
    name text NOT NULL COLLATE pg_catalog."C",
    lease_until timestamp with time zone NOT NULL,
    hears_redis boolean DEFAULT true NOT NULL,
    redis_since timestamp with time zone DEFAULT now() NOT NULL,
    redis_run_id text COLLATE pg_catalog."C"
)
WITH (fillfactor='20');


--
-- Name: payout_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payout_events (
    payout_id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    event text NOT NULL,
    merchant_id text COLLATE pg_catalog."C",
    environment text COLLATE pg_catalog."C",
    envelope text
);


--
-- Name: postgres_timelines; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.postgres_timelines (
    id bigint NOT NULL,
    timeline integer NOT NULL,
    first_seen_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: postgres_timelines_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.postgres_timelines ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.postgres_timelines_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: postings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.postings (
    cause_kind text NOT NULL COLLATE pg_catalog."C",
    cause_id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    index smallint NOT NULL,
    debit text NOT NULL COLLATE pg_catalog."C",
    credit text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    CONSTRAINT postings_amount_check CHECK ((amount > 0)),
    CONSTRAINT postings_cause_kind_check CHECK ((cause_kind = ANY (ARRAY['payment'::text, 'payout'::text, 'task'::text, 'booking'::text, 'approval'::text]))),
    CONSTRAINT postings_check CHECK ((credit <> debit))
);


--
-- Name: rail_bookings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_bookings (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    rail text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    reference text NOT NULL,
    note text NOT NULL,
    booked_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, now()) NOT NULL,
    CONSTRAINT rail_bookings_amount_check CHECK ((amount > 0)),
    CONSTRAINT rail_bookings_kind_check CHECK ((kind = ANY (ARRAY['fee'::text, 'fee_returned'::text, 'settled'::text, 'topped_up'::text])))
);


--
-- Name: rail_callbacks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_callbacks (
    rail text NOT NULL COLLATE pg_catalog."C",
    dedupe_key text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    subject_kind text COLLATE pg_catalog."C",
    subject_id text COLLATE pg_catalog."C",
    reference text COLLATE pg_catalog."C",
    amount bigint,
    currency text COLLATE pg_catalog."C",
    body bytea NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    repeats integer DEFAULT 0 NOT NULL,
    judge_at timestamp with time zone,
    judged integer DEFAULT 0 NOT NULL,
    CONSTRAINT rail_callbacks_status_check CHECK ((status = ANY (ARRAY['taken'::text, 'unknown_order'::text, 'booked'::text, 'dismissed'::text, 'ignored'::text])))
);


--
-- Name: rail_calls; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_calls (
    id text NOT NULL COLLATE pg_catalog."C",
    payment_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    rail text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'due'::text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL,
    answer text,
    due_at timestamp with time zone NOT NULL,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    commanded_at timestamp with time zone DEFAULT now() NOT NULL,
    sent_at timestamp with time zone,
    begun_at timestamp with time zone,
    unknown_at timestamp with time zone,
    answered_at timestamp with time zone,
    CONSTRAINT rail_calls_state_check CHECK ((state = ANY (ARRAY['due'::text, 'sent'::text, 'answered'::text])))
);


--
-- Name: rail_differences; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_differences (
    rail text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    field text NOT NULL COLLATE pg_catalog."C",
    subject text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    payment_id text COLLATE pg_catalog."C",
    ours text NOT NULL,
    theirs text NOT NULL,
    found_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT rail_differences_field_check CHECK ((field = ANY (ARRAY['status'::text, 'amount'::text, 'currency'::text, 'refund'::text, 'payout'::text]))),
    CONSTRAINT rail_differences_kind_check CHECK ((kind = ANY (ARRAY['missing'::text, 'orphan'::text, 'differing'::text])))
);


--
-- Name: rail_facts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_facts (
    id text NOT NULL COLLATE pg_catalog."C",
    payment_id text NOT NULL COLLATE pg_catalog."C",
    command text NOT NULL,
    stored_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: rail_offers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_offers (
    rail text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    rank smallint NOT NULL,
    min_amount bigint NOT NULL,
    max_amount bigint NOT NULL,
    max_expires_in integer NOT NULL,
    is_refundable boolean NOT NULL,
    rests_until timestamp with time zone,
    seen_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');


--
-- Name: rail_reconciliations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_reconciliations (
    rail text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    due_at timestamp with time zone DEFAULT now(),
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    lease integer DEFAULT 0 NOT NULL,
    leased_until timestamp with time zone,
    step text DEFAULT 'list'::text NOT NULL COLLATE pg_catalog."C",
    cursor text COLLATE pg_catalog."C",
    postponed integer DEFAULT 0 NOT NULL,
    matched integer DEFAULT 0 NOT NULL,
    unanswered integer DEFAULT 0 NOT NULL,
    repeated integer DEFAULT 0 NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT rail_reconciliations_step_check CHECK ((step = ANY (ARRAY['list'::text, 'ask'::text, 'payouts'::text])))
);


--
-- Name: rail_sightings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_sightings (
    rail text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: rail_transactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_transactions (
    rail text NOT NULL COLLATE pg_catalog."C",
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    payment_id text NOT NULL COLLATE pg_catalog."C",
    booked_at timestamp with time zone DEFAULT now()
);


--
-- Name: rail_watches; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rail_watches (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    rail text NOT NULL COLLATE pg_catalog."C",
    payment_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    reference text,
    look_at timestamp with time zone,
    leased_until timestamp with time zone,
    number integer DEFAULT 0 NOT NULL,
    step integer DEFAULT 0 NOT NULL,
    watch_until timestamp with time zone NOT NULL,
    inquired_at timestamp with time zone,
    callbacks integer DEFAULT 0 NOT NULL,
    unconfirmed text[] DEFAULT '{}'::text[] NOT NULL,
    fast_step integer DEFAULT 0 NOT NULL,
    absences integer DEFAULT 0 NOT NULL,
    absent_since timestamp with time zone,
    closes integer DEFAULT 0 NOT NULL,
    close_id text COLLATE pg_catalog."C",
    CONSTRAINT rail_watches_kind_check CHECK ((kind = ANY (ARRAY['order'::text, 'refund'::text]))),
    CONSTRAINT rail_watches_unconfirmed_check CHECK ((unconfirmed <@ ARRAY['open'::text, 'settled'::text, 'ended'::text, 'reversed'::text, 'given_back'::text]))
)
WITH (fillfactor='70');


--
-- Name: recovery_codes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.recovery_codes (
    user_id text NOT NULL COLLATE pg_catalog."C",
    digest bytea NOT NULL
);


--
-- Name: redis_servers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.redis_servers (
    run_id text NOT NULL COLLATE pg_catalog."C",
    first_heard_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: refunds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refunds (
    id text NOT NULL COLLATE pg_catalog."C",
    payment_id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL
);


--
-- Name: schema_files; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_files (
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: schema_functions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_functions (
    signature text NOT NULL
);


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    digest bytea NOT NULL,
    address text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone
);


--
-- Name: step_up_codes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.step_up_codes (
    digest bytea NOT NULL,
    session_id text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: switches; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.switches (
    name text NOT NULL COLLATE pg_catalog."C",
    is_on boolean NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: webhook_attempts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_attempts (
    delivery_id text NOT NULL COLLATE pg_catalog."C",
    attempt integer NOT NULL,
    at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status_code smallint,
    failure text COLLATE pg_catalog."C",
    error text,
    excerpt text
);


--
-- Name: webhook_cursors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_cursors (
    partition smallint NOT NULL,
    position_ms bigint DEFAULT 0 NOT NULL,
    position_seq bigint DEFAULT 0 NOT NULL,
    index integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='20');


--
-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_deliveries (
    id text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    endpoint_id text NOT NULL COLLATE pg_catalog."C",
    payment_id text COLLATE pg_catalog."C",
    payout_id text COLLATE pg_catalog."C",
    version integer NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    body text,
    status text DEFAULT 'pending'::text NOT NULL COLLATE pg_catalog."C",
    attempts integer DEFAULT 0 NOT NULL,
    step integer DEFAULT 0 NOT NULL,
    reason text COLLATE pg_catalog."C",
    replay_id text COLLATE pg_catalog."C",
    next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_check CHECK (((status = 'pending'::text) = (settled_at IS NULL))),
    CONSTRAINT webhook_deliveries_check1 CHECK ((num_nonnulls(payment_id, payout_id) = 1)),
    CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
)
WITH (fillfactor='80');


--
-- Name: webhook_endpoint_failures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_endpoint_failures (
    endpoint_id text NOT NULL COLLATE pg_catalog."C",
    since timestamp with time zone DEFAULT now() NOT NULL,
    latest timestamp with time zone DEFAULT now() NOT NULL,
    flagged_at timestamp with time zone
)
WITH (fillfactor='50');


--
-- Name: webhook_endpoints; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_endpoints (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    events text[] DEFAULT '{*}'::text[] NOT NULL,
    active boolean DEFAULT true NOT NULL,
    secret text NOT NULL COLLATE pg_catalog."C",
    next_secret text COLLATE pg_catalog."C",
    switch_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT deleted_is_inactive CHECK (((deleted_at IS NULL) OR (NOT active))),
    CONSTRAINT webhook_endpoints_check CHECK (((next_secret IS NULL) = (switch_at IS NULL))),
    CONSTRAINT webhook_endpoints_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'LIVE'::text]))),
    CONSTRAINT webhook_endpoints_events_check CHECK ((cardinality(events) > 0))
);


--
-- Name: webhook_events_set_aside; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_events_set_aside (
    payment_id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    set_aside_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: webhook_replay_parts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_replay_parts (
    replay_id text NOT NULL COLLATE pg_catalog."C",
    endpoint_id text NOT NULL COLLATE pg_catalog."C",
    total integer NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    reached_at timestamp with time zone NOT NULL,
    touched_at timestamp with time zone DEFAULT now() NOT NULL,
    completed_at timestamp with time zone
);


--
-- Name: webhook_replays; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_replays (
    id text NOT NULL COLLATE pg_catalog."C",
    merchant_id text COLLATE pg_catalog."C",
    type text COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    from_at timestamp with time zone NOT NULL,
    until_at timestamp with time zone NOT NULL,
    with_pending boolean NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    completed_at timestamp with time zone
);


--
-- Name: api_logs_20261127; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs ATTACH PARTITION public.api_logs_20261127 FOR VALUES FROM ('2026-11-27 00:00:00+00') TO ('2026-11-28 00:00:00+00');


--
-- Name: api_logs_20261128; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs ATTACH PARTITION public.api_logs_20261128 FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');


--
-- Name: api_logs_20261129; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs ATTACH PARTITION public.api_logs_20261129 FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');


--
-- Name: api_logs_20261130; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs ATTACH PARTITION public.api_logs_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: api_logs_20261201; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs ATTACH PARTITION public.api_logs_20261201 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2026-12-02 00:00:00+00');


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES ('key_2fzj8xj1gg27fvktsvdk6s462s', 'mer_5ds5t15yg118x411n66sfbbzc8', 'LIVE', NULL, 'sk_live_j2N2', 'eOAA', '\x8bf4f5a3770bbb114ae86814d32dd7d2005174caff345ab0f949f701b613272e', '{}', '{}', '2026-11-28 10:59:48.044+00', NULL, NULL);
INSERT INTO public.api_keys VALUES ('key_4rmwsce80wec5c49e8q01hqdcg', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', NULL, 'sk_test_4bPo', 'B2ue', '\xc2603eb28b4a3f6bda6d2f0a4a3c8f4808dfd305e88de84a2bfe698fa1d127fa', '{}', '{}', '2026-11-28 10:59:48.037+00', '2026-11-28 10:59:55.838457+00', NULL);


--
-- Data for Name: api_logs_20261127; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: api_logs_20261128; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.019+00', 'req_c0bc29b97aa4ce2cb357000002', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'POST', '/v1/payments', NULL, 201, NULL, 52, NULL, 'pay_1kfqty9j88mjkpvczye5dj3n24', '{"amount":"150000","payment_method":"QRIS","customer_name":"[masked]","customer_email":"[masked]","reference_id":"order-1"}', '{"id":"pay_1kfqty9j88mjkpvczye5dj3n24","object":"payment","environment":"TEST","status":"pending","amount":"150000","currency":"IDR","description":null,"reference_id":"order-1","payment_method":"QRIS","customer_name":"[masked]","customer_email":"[masked]","customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_1kfqty9j88mjkpvczye5dj3n24","order_id":"55c97549-f147-8562-aa48-3c068727ca67","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:52.984Z","expires_at":"2026-11-28T11:14:52.984Z","paid_at":null,"failed_at":null,"cancelled_at":null,"refunded_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.051+00', 'req_c0bc29b97aa4ce2cb357000003', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'POST', '/v1/payments', NULL, 201, NULL, 19, NULL, 'pay_29z3vp23gddth9fgef5vtdf6jg', '{"amount":"150000","payment_method":"VA_BCA","metadata":{"cart":"17"}}', '{"id":"pay_29z3vp23gddth9fgef5vtdf6jg","object":"payment","environment":"TEST","status":"pending","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"VA_BCA","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_29z3vp23gddth9fgef5vtdf6jg","order_id":"7aceafb8-fa18-8131-8450-8e12ec937be1","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{"cart":"17"},"created_at":"2026-11-28T10:59:53.033Z","expires_at":"2026-11-29T10:59:53.033Z","paid_at":null,"failed_at":null,"cancelled_at":null,"refunded_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.404+00', 'req_c0bc29b97aa4ce2cb35700000d', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/balance', NULL, 200, NULL, 8, NULL, NULL, NULL, '{"environment":"TEST","data":"[1 objects]"}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.392+00', 'req_c0bc29b97aa4ce2cb35700000c', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'POST', '/v1/refunds', NULL, 201, NULL, 11, NULL, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', '{"payment_id":"pay_5wvhhx8axw96pg3xmn4ns16w4s"}', '{"id":"ref_6bn275dcx9aad2pg8hhj7ak88j","object":"refund","payment_id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","origin":"merchant","status":"SUCCEEDED","amount":"100000","currency":"IDR","reason":null,"reference_id":null,"created_at":"2026-11-28T10:59:53.383Z","completed_at":"2026-11-28T10:59:53.383Z"}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.378+00', 'req_c0bc29b97aa4ce2cb35700000b', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'POST', '/v1/refunds', NULL, 201, NULL, 13, NULL, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', '{"payment_id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","amount":"50000","reason":"One coffee was cold"}', '{"id":"ref_09gdgdh3a1nx7033w951vek9vk","object":"refund","payment_id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","origin":"merchant","status":"SUCCEEDED","amount":"50000","currency":"IDR","reason":"One coffee was cold","reference_id":null,"created_at":"2026-11-28T10:59:53.366Z","completed_at":"2026-11-28T10:59:53.366Z"}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.336+00', 'req_c0bc29b97aa4ce2cb357000009', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'POST', '/v1/payments', NULL, 201, NULL, 17, NULL, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', '{"amount":"150000","payment_method":"QRIS"}', '{"id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","object":"payment","environment":"TEST","status":"pending","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_5wvhhx8axw96pg3xmn4ns16w4s","order_id":"2fe8d477-23fa-8e94-8e76-f1da71519116","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.319Z","expires_at":"2026-11-28T11:14:53.319Z","paid_at":null,"failed_at":null,"cancelled_at":null,"refunded_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.252+00', 'req_c0bc29b97aa4ce2cb357000005', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'POST', '/v1/payments', NULL, 201, NULL, 22, NULL, 'pay_4ndmnf8gah3wmpqrs8qgvftamp', '{"amount":"150000","payment_method":"QRIS"}', '{"id":"pay_4ndmnf8gah3wmpqrs8qgvftamp","object":"payment","environment":"TEST","status":"pending","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_4ndmnf8gah3wmpqrs8qgvftamp","order_id":"8d40c5a0-d4ac-8542-b24c-17c57baa491b","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.232Z","expires_at":"2026-11-28T11:14:53.232Z","paid_at":null,"failed_at":null,"cancelled_at":null,"refunded_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.248+00', 'req_c0bc29b97aa4ce2cb357000018', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 2, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.22+00', 'req_c0bc29b97aa4ce2cb357000017', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.188+00', 'req_c0bc29b97aa4ce2cb357000016', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 2, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.16+00', 'req_c0bc29b97aa4ce2cb357000015', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.135+00', 'req_c0bc29b97aa4ce2cb357000014', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 4, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.106+00', 'req_c0bc29b97aa4ce2cb357000013', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.079+00', 'req_c0bc29b97aa4ce2cb357000012', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.051+00', 'req_c0bc29b97aa4ce2cb357000011', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 4, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.021+00', 'req_c0bc29b97aa4ce2cb357000010', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 2, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.993+00', 'req_c0bc29b97aa4ce2cb35700000z', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.966+00', 'req_c0bc29b97aa4ce2cb35700000y', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.939+00', 'req_c0bc29b97aa4ce2cb35700000x', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.912+00', 'req_c0bc29b97aa4ce2cb35700000w', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.886+00', 'req_c0bc29b97aa4ce2cb35700000v', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.859+00', 'req_c0bc29b97aa4ce2cb35700000u', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.832+00', 'req_c0bc29b97aa4ce2cb35700000t', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 4, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.801+00', 'req_c0bc29b97aa4ce2cb35700000s', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.773+00', 'req_c0bc29b97aa4ce2cb35700000r', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.743+00', 'req_c0bc29b97aa4ce2cb35700000q', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 2, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.714+00', 'req_c0bc29b97aa4ce2cb35700000p', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.687+00', 'req_c0bc29b97aa4ce2cb35700000o', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.66+00', 'req_c0bc29b97aa4ce2cb35700000n', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.633+00', 'req_c0bc29b97aa4ce2cb35700000m', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 2, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.605+00', 'req_c0bc29b97aa4ce2cb35700000l', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.575+00', 'req_c0bc29b97aa4ce2cb35700000k', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 4, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.545+00', 'req_c0bc29b97aa4ce2cb35700000j', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 2, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.513+00', 'req_c0bc29b97aa4ce2cb35700000i', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.486+00', 'req_c0bc29b97aa4ce2cb35700000h', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 2, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.453+00', 'req_c0bc29b97aa4ce2cb35700000g', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.423+00', 'req_c0bc29b97aa4ce2cb35700000f', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.42+00', 'req_c0bc29b97aa4ce2cb35700000e', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'POST', '/v1/payouts', NULL, 201, NULL, 15, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', '{"amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]"}', '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.316+00', 'req_c0bc29b97aa4ce2cb357000008', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'POST', '/v1/payments/pay_1ktpbavdxkjkesrq8jyfw7v9jc/cancel', NULL, 200, NULL, 15, NULL, 'pay_1ktpbavdxkjkesrq8jyfw7v9jc', NULL, '{"id":"pay_1ktpbavdxkjkesrq8jyfw7v9jc","object":"payment","environment":"TEST","status":"cancelled","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_1ktpbavdxkjkesrq8jyfw7v9jc","order_id":"6c94f115-6ad0-853c-800e-37b814019e1f","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.288Z","expires_at":"2026-11-28T11:14:53.288Z","paid_at":null,"failed_at":null,"cancelled_at":"2026-11-28T10:59:53.303Z","refunded_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:53.3+00', 'req_c0bc29b97aa4ce2cb357000007', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'POST', '/v1/payments', NULL, 201, NULL, 13, NULL, 'pay_1ktpbavdxkjkesrq8jyfw7v9jc', '{"amount":"150000","payment_method":"QRIS"}', '{"id":"pay_1ktpbavdxkjkesrq8jyfw7v9jc","object":"payment","environment":"TEST","status":"pending","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_1ktpbavdxkjkesrq8jyfw7v9jc","order_id":"6c94f115-6ad0-853c-800e-37b814019e1f","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.288Z","expires_at":"2026-11-28T11:14:53.288Z","paid_at":null,"failed_at":null,"cancelled_at":null,"refunded_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.346+00', 'req_c0bc29b97aa4ce2cb35700001b', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"COMPLETED","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":"2026-11-28T10:59:54.339Z","failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.305+00', 'req_c0bc29b97aa4ce2cb35700001a', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 3, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.275+00', 'req_c0bc29b97aa4ce2cb357000019', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 1, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"PENDING","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":null,"failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.853+00', 'req_c0bc29b97aa4ce2cb35700001p', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/balance', NULL, 200, NULL, 0, NULL, NULL, NULL, '{"environment":"TEST","data":"[1 objects]"}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.83+00', 'req_c0bc29b97aa4ce2cb35700001i', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payments/pay_1kfqty9j88mjkpvczye5dj3n24', NULL, 200, NULL, 14, NULL, 'pay_1kfqty9j88mjkpvczye5dj3n24', NULL, '{"id":"pay_1kfqty9j88mjkpvczye5dj3n24","object":"payment","environment":"TEST","status":"pending","amount":"150000","currency":"IDR","description":null,"reference_id":"order-1","payment_method":"QRIS","customer_name":"[masked]","customer_email":"[masked]","customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_1kfqty9j88mjkpvczye5dj3n24","order_id":"55c97549-f147-8562-aa48-3c068727ca67","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:52.984Z","expires_at":"2026-11-28T11:14:52.984Z","paid_at":null,"failed_at":null,"cancelled_at":null,"refunded_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.849+00', 'req_c0bc29b97aa4ce2cb35700001n', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/refunds/ref_09gdgdh3a1nx7033w951vek9vk', NULL, 200, NULL, 4, NULL, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', NULL, '{"id":"ref_09gdgdh3a1nx7033w951vek9vk","object":"refund","payment_id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","origin":"merchant","status":"SUCCEEDED","amount":"50000","currency":"IDR","reason":"One coffee was cold","reference_id":null,"created_at":"2026-11-28T10:59:53.366Z","completed_at":"2026-11-28T10:59:53.366Z"}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.845+00', 'req_c0bc29b97aa4ce2cb35700001m', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payments/pay_5wvhhx8axw96pg3xmn4ns16w4s', NULL, 200, NULL, 1, NULL, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', NULL, '{"id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","object":"payment","environment":"TEST","status":"refunded","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_5wvhhx8axw96pg3xmn4ns16w4s","order_id":"2fe8d477-23fa-8e94-8e76-f1da71519116","refunded_amount":"150000","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.319Z","expires_at":"2026-11-28T11:14:53.319Z","paid_at":"2026-11-28T10:59:53.344Z","failed_at":null,"cancelled_at":null,"refunded_at":"2026-11-28T10:59:53.383Z"}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.843+00', 'req_c0bc29b97aa4ce2cb35700001k', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payments/pay_4ndmnf8gah3wmpqrs8qgvftamp', NULL, 200, NULL, 2, NULL, 'pay_4ndmnf8gah3wmpqrs8qgvftamp', NULL, '{"id":"pay_4ndmnf8gah3wmpqrs8qgvftamp","object":"payment","environment":"TEST","status":"failed","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_4ndmnf8gah3wmpqrs8qgvftamp","order_id":"8d40c5a0-d4ac-8542-b24c-17c57baa491b","refunded_amount":"0","refundable_amount":"0","failure_code":"simulated","late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.232Z","expires_at":"2026-11-28T11:14:53.232Z","paid_at":null,"failed_at":"2026-11-28T10:59:53.256Z","cancelled_at":null,"refunded_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.853+00', 'req_c0bc29b97aa4ce2cb35700001o', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payouts/po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, 200, NULL, 0, NULL, 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, '{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","object":"payout","environment":"TEST","status":"COMPLETED","amount":"100000","currency":"IDR","bank_code":"BCA","account_number":"[masked]","account_holder":"[masked]","reference_id":null,"description":null,"failure_code":null,"created_at":"2026-11-28T10:59:53.405Z","completed_at":"2026-11-28T10:59:54.339Z","failed_at":null,"reversed_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.844+00', 'req_c0bc29b97aa4ce2cb35700001l', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payments/pay_1ktpbavdxkjkesrq8jyfw7v9jc', NULL, 200, NULL, 1, NULL, 'pay_1ktpbavdxkjkesrq8jyfw7v9jc', NULL, '{"id":"pay_1ktpbavdxkjkesrq8jyfw7v9jc","object":"payment","environment":"TEST","status":"cancelled","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_1ktpbavdxkjkesrq8jyfw7v9jc","order_id":"6c94f115-6ad0-853c-800e-37b814019e1f","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.288Z","expires_at":"2026-11-28T11:14:53.288Z","paid_at":null,"failed_at":null,"cancelled_at":"2026-11-28T10:59:53.303Z","refunded_at":null}');
INSERT INTO public.api_logs_20261128 VALUES ('2026-11-28 10:59:54.84+00', 'req_c0bc29b97aa4ce2cb35700001j', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'key_4rmwsce80wec5c49e8q01hqdcg', 'GET', '/v1/payments/pay_29z3vp23gddth9fgef5vtdf6jg', NULL, 200, NULL, 9, NULL, 'pay_29z3vp23gddth9fgef5vtdf6jg', NULL, '{"id":"pay_29z3vp23gddth9fgef5vtdf6jg","object":"payment","environment":"TEST","status":"paid","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"VA_BCA","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"checkout_url":"http://kasir.test/checkout/pay_29z3vp23gddth9fgef5vtdf6jg","order_id":"7aceafb8-fa18-8131-8450-8e12ec937be1","refunded_amount":"0","refundable_amount":"150000","failure_code":null,"late":false,"metadata":{"cart":"17"},"created_at":"2026-11-28T10:59:53.033Z","expires_at":"2026-11-29T10:59:53.033Z","paid_at":"2026-11-28T10:59:53.057Z","failed_at":null,"cancelled_at":null,"refunded_at":null}');


--
-- Data for Name: api_logs_20261129; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: api_logs_20261130; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: api_logs_20261201; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: approvals; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: audit_heads; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_heads VALUES ('', '2026-11-28', 3, '\x3edac652d1b8c3d1f81b33b77bbe44f6d6f8c7b747964466dfd5f72ec3e66b28');
INSERT INTO public.audit_heads VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', '2026-11-28', 13, '\x1f180fdaf3736605ae4bfa27add67343a8e3f553f4bee47823c00884d4e49028');


--
-- Data for Name: audit_log; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (1, '2026-11-28 10:59:47.918728+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'database:kasir', NULL, 'merchants.insert', 'mer_5ds5t15yg118x411n66sfbbzc8', NULL, '{"notices": ["endpoint_disabled", "endpoint_failing", "kyc_decided", "payout_failed"], "support_url": null, "brand_colour": null, "display_name": null, "live_enabled": false, "business_name": "Toko Contoh", "sends_receipts": false, "verification_status": "UNVERIFIED"}', '{"after": {}}', '\x1f37b11f7d454f4fbd4a5018686831a4', '\xda9d0f7e952a5e41f1fd0d7dbaafc43ec9dabcde417710f923ff3004e547cf50', '2949', '2026-11-28', 1, '\xcb3e9c20b5ce00e2b04e6a77dbed6170481f45f02916471c6a7a38ce495789f3');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (2, '2026-11-28 10:59:48.038573+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'database:kasir', NULL, 'api_keys.insert', 'key_4rmwsce80wec5c49e8q01hqdcg', NULL, '{"digest": "[secret]", "prefix": "sk_test_4bPo", "scopes": [], "last_four": "B2ue", "revoked_at": null, "environment": "TEST", "merchant_id": "mer_5ds5t15yg118x411n66sfbbzc8", "allowed_addresses": []}', NULL, '\xbff0c07f8d0a414baa0e3d3986be5b9a', '\xf8658523fa4453a712aba8dd158bb04f09004100787d8f9c339cad74766648bc', '2950', '2026-11-28', 2, '\xafb32a3cded4f14abd40486f130022310632209e1989a454749ec55763733083');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (3, '2026-11-28 10:59:48.044577+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'database:kasir', NULL, 'api_keys.insert', 'key_2fzj8xj1gg27fvktsvdk6s462s', NULL, '{"digest": "[secret]", "prefix": "sk_live_j2N2", "scopes": [], "last_four": "eOAA", "revoked_at": null, "environment": "LIVE", "merchant_id": "mer_5ds5t15yg118x411n66sfbbzc8", "allowed_addresses": []}', NULL, '\xaae7fe2cecb843c28098c5942fd971a5', '\x95a4c35746b4e409d5b376a332a174a0b4d5bb8ac9e72a838e2c796003dc0e98', '2951', '2026-11-28', 3, '\x8bc84ecb8289fb1a24c1eac0e01d195fb4403fa02a85d182f5beaf69d666457b');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (4, '2026-11-28 10:59:48.132708+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'database:kasir', NULL, 'users.insert', 'usr_1n1w915vqkba0gxncqf8rkrfsb', NULL, '{"role": "owner", "disabled_at": null, "merchant_id": "mer_5ds5t15yg118x411n66sfbbzc8", "totp_secret": null, "verified_at": "2026-11-28T10:59:48.130527+00:00", "password_hash": "[secret]", "totp_confirmed_at": null}', '{"after": {"email": "owner-fbbzc8@example.com"}}', '\xf09f8231072147debb84ed0a0132860d', '\xa915d4140e1b07241627c749d4ba499a74aaa0fb31eb189b56aa4999a87b2d4f', '2952', '2026-11-28', 4, '\xc9eda4fe1330cc17143dd5bbd8639a4716a3c25098da649aeb71d54762b0825c');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (5, '2026-11-28 10:59:48.149715+00', '', 'database:kasir', NULL, 'users.insert', 'usr_5j09hhjz55rr50pjrsjwg7n250', NULL, '{"role": "admin", "disabled_at": null, "merchant_id": null, "totp_secret": null, "verified_at": "2026-11-28T10:59:48.149365+00:00", "password_hash": "[secret]", "totp_confirmed_at": null}', '{"after": {"email": "admin-fbbzc8@example.com"}}', '\x505a60753cd74b77971c90fdac4348f2', '\xa044a0e29bffa526bad10a7e2e494b12c01e6f3051daf1fb2d0a8e02f7022904', '2953', '2026-11-28', 1, '\x5de060bedc5af36c4da1e57042660e3a2685baa639267941e3f8c427438e8f36');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (6, '2026-11-28 10:59:48.178402+00', '', 'database:kasir', NULL, 'users.insert', 'usr_65bt356k1j4kxhn99fy4tj56s5', NULL, '{"role": "admin", "disabled_at": null, "merchant_id": null, "totp_secret": null, "verified_at": "2026-11-28T10:59:48.178019+00:00", "password_hash": "[secret]", "totp_confirmed_at": null}', '{"after": {"email": "admin2-fbbzc8@example.com"}}', '\xf6ec9dc4e57c4f1691d88560da1db433', '\xc4df04aa55439a6642aee978eaae2bc8d608c041f21ef59c82ce6485a2dfedfc', '2954', '2026-11-28', 2, '\xbca1cf2bc23284facd5ef58c012d716852c9aae17eefa852a6a17de840067b57');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (7, '2026-11-28 10:59:48.213582+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '127.0.0.1', 'kyc_submissions.insert', 'kyc_3qvq0rn965kjv40z9beedhe83k', NULL, '{"fields": "[secret]", "reason": null, "status": "PENDING", "merchant_id": "mer_5ds5t15yg118x411n66sfbbzc8", "document_ids": ["doc_5kthg8mcgx0v0pkgfxd6844mrh"], "submitted_by": "usr_1n1w915vqkba0gxncqf8rkrfsb", "field_reasons": null}', NULL, '\xbe9fbdca7b454af1a8dcb43ddc83feec', '\x1ad4cce959145838dc3ed68cdb3fc86c5b02cc5d40b454b94f53ad86a34e0ef7', '2958', '2026-11-28', 5, '\x2faace6825d83a8a576b6d180aafc249bd67875c2fd3ccf5e893d514d1355251');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (8, '2026-11-28 10:59:48.215089+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '127.0.0.1', 'merchants.update', 'mer_5ds5t15yg118x411n66sfbbzc8', '{"verification_status": "UNVERIFIED"}', '{"verification_status": "PENDING"}', NULL, '\x379347c63e474e1aa84d83f8c1634185', '\x7b84ab4e93a18b790255f3407e56b4b9ce9ff2e3786302eb9b19dbe518678aad', '2958', '2026-11-28', 6, '\x25eaefa77594a54fff5cbc060013c25ffccdcfe5ca8bde2abde9087449cf14c5');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (9, '2026-11-28 10:59:48.247342+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'database:kasir', NULL, 'webhook_endpoints.insert', 'we_2qamm5zr5mhwe2rdsd83f6bnp9', NULL, '{"url": "https://localhost:15064/webhooks", "active": true, "events": ["*"], "secret": "[secret]", "switch_at": null, "deleted_at": null, "environment": "TEST", "merchant_id": "mer_5ds5t15yg118x411n66sfbbzc8", "next_secret": null}', NULL, '\x3d95c964367e4faf9c40663cd3e28846', '\x6a50ab3a2c536cf1396f8648e8d7bf79508d51356805e782f02a5606132ad52d', '2959', '2026-11-28', 7, '\xec1a24194913f6fa8cb1a87e084256705806472d20b5d357660b7a58b0f8726d');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (10, '2026-11-28 10:59:49.577593+00', '', 'database:kasir', NULL, 'installation.insert', 'true', NULL, '{"partitions": 16, "id_key_fingerprint": "[secret]"}', NULL, '\x4b736990111746e3bc37aa9d3f4063f2', '\x54629003180410045134092746fde9c75a8b03fb18eb720d8b4c104caffb35b3', '2960', '2026-11-28', 3, '\x3edac652d1b8c3d1f81b33b77bbe44f6d6f8c7b747964466dfd5f72ec3e66b28');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (11, '2026-11-28 10:59:54.617523+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '127.0.0.1', 'sessions.insert', 'ses_33zr78dj341afda017q9hmbc0e', NULL, '{"digest": "[secret]", "user_id": "usr_1n1w915vqkba0gxncqf8rkrfsb", "ended_at": null, "expires_at": "2026-11-28T22:59:54.612+00:00"}', NULL, '\xbcb63adaa88c4ea4b7a3d77debab2f15', '\x43f8d26f01fd9e347f400122a8f630c26993af1a5a9158d91452a9db441c95cf', '3041', '2026-11-28', 8, '\xee58539ce05e6ee6ed119b096355d1d2b1fa4c020385a43aad5e98f80d19e0bf');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (12, '2026-11-28 10:59:54.71351+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '127.0.0.1', 'payment_links.insert', 'plink_57e6nbd1xyyzdq0zaq08rgwe68', NULL, '{"title": "Coffee class", "active": true, "amount": 150000, "max_uses": 20, "expires_at": null, "max_amount": null, "min_amount": null, "description": null, "environment": "TEST", "merchant_id": "mer_5ds5t15yg118x411n66sfbbzc8", "success_url": null}', NULL, '\x31b5e6ba5c3744a9ab3db94c940f6124', '\xb18a50939a32590172dc93f6d297f1aeab0436e7b7406755c167ae7fa741c7c1', '3042', '2026-11-28', 9, '\xad959fa761cbf8eaabaf5d4a331ce9ff1ec7597a9734cc4b3ccfb0f4af90ebc7');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (13, '2026-11-28 10:59:54.748753+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '127.0.0.1', 'invoices.insert', 'inv_56edckq7q5yt3ythx1n9sp5dhx', NULL, '{"total": 300000, "number": null, "status": "draft", "sent_at": null, "payment_id": null, "environment": "TEST", "merchant_id": "mer_5ds5t15yg118x411n66sfbbzc8", "reminded_at": null}', NULL, '\x82b76c138cbf470daa1145df0afa09ae', '\xd5ebc8a24f2b72cb0f57ae8af5e7d61690296eff3d07d121b458bd2ffd7ca533', '3043', '2026-11-28', 10, '\xb4d9a3bccb19942a2bfacded7497304c4cc4c7eae133bf435d982ce9caa6c337');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (14, '2026-11-28 10:59:54.772945+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '127.0.0.1', 'invoices.update', 'inv_56edckq7q5yt3ythx1n9sp5dhx', '{"number": null, "status": "draft"}', '{"number": 1, "status": "open"}', NULL, '\x485412ff4c664376a12c4b7438771ec9', '\x5cbb1ec61f7965aba800eb15a4cfee5847c5fc3dff59d381c5bb7a8afbdc84d3', '3044', '2026-11-28', 11, '\x2bccc2c464def80943d061c95aec2c2c20a0d8c62ba4c4f9d0f6d8ca5ee8041d');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (15, '2026-11-28 10:59:54.792014+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '127.0.0.1', 'invoices.insert', 'inv_7b0a2v4g8s2nby7z7qfm5h05z9', NULL, '{"total": 300000, "number": null, "status": "draft", "sent_at": null, "payment_id": null, "environment": "TEST", "merchant_id": "mer_5ds5t15yg118x411n66sfbbzc8", "reminded_at": null}', NULL, '\x11e195366cef4614ae29d671f2d594df', '\x19448132758797080757f1478dd4381a1eee92d8b4cb90e2aff86b9fa583983a', '3045', '2026-11-28', 12, '\x64af6148737483d9c066578beeae935e0cf10671e54ea41ee64bb76477548b0b');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (16, '2026-11-28 10:59:54.80877+00', 'mer_5ds5t15yg118x411n66sfbbzc8', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '127.0.0.1', 'invoices.update', 'inv_7b0a2v4g8s2nby7z7qfm5h05z9', '{"number": null, "status": "draft"}', '{"number": 2, "status": "open"}', NULL, '\xc96d7b86906445c1afa36d0aa190aad4', '\x6e1ec030106a56268da6f4b69078481e1d6c7aa6d6d0556d8f4d338db441fbae', '3050', '2026-11-28', 13, '\x1f180fdaf3736605ae4bfa27add67343a8e3f553f4bee47823c00884d4e49028');


--
-- Data for Name: balance_checkpoints; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: balance_rows; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.balance_rows VALUES ('rail_clearing:sandbox:TEST:IDR', 13, 'IDR', -150000);
INSERT INTO public.balance_rows VALUES ('rail_clearing:sandbox:TEST:IDR', 15, 'IDR', 0);
INSERT INTO public.balance_rows VALUES ('refund_clearing:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 0, 'IDR', 0);
INSERT INTO public.balance_rows VALUES ('merchant_available:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 0, 'IDR', 50000);
INSERT INTO public.balance_rows VALUES ('payout_clearing:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 0, 'IDR', 0);
INSERT INTO public.balance_rows VALUES ('rail_clearing:sandbox:TEST:IDR', -12, 'IDR', 100000);


--
-- Data for Name: deferred_commands; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: erasure_finds; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: erasure_requests; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: erasure_walks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: erasures; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: failed_logins; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: idempotency_claims; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: installation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.installation VALUES (true, 16, 'eb3026af01eadfb0', '2026-11-28 10:59:49.571779+00');


--
-- Data for Name: invoice_counters; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.invoice_counters VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 2);


--
-- Data for Name: invoice_payments; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: invoices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.invoices VALUES ('inv_56edckq7q5yt3ythx1n9sp5dhx', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 1, 'open', 'PT Sumber Makmur', NULL, 'id', NULL, 'IDR', '[{"description":"Coffee class","quantity":2,"unit_amount":"150000"}]', 300000, NULL, 1, NULL, '2026-11-28 10:59:54.746+00', '2026-11-28 10:59:54.772+00', NULL, NULL, NULL, NULL);
INSERT INTO public.invoices VALUES ('inv_7b0a2v4g8s2nby7z7qfm5h05z9', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 2, 'open', 'Toko Lain', NULL, 'id', NULL, 'IDR', '[{"description":"Coffee class","quantity":2,"unit_amount":"150000"}]', 300000, NULL, 1, NULL, '2026-11-28 10:59:54.791+00', '2026-11-28 10:59:54.808+00', NULL, NULL, NULL, NULL);


--
-- Data for Name: kyc_document_parts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kyc_document_parts VALUES ('doc_5kthg8mcgx0v0pkgfxd6844mrh.0000', 'doc_5kthg8mcgx0v0pkgfxd6844mrh', 'mer_5ds5t15yg118x411n66sfbbzc8', '\x76312e38633063633137612e525134b3b7078e1d2ca619ab2f5c68c4e74041f24ae3e2d53ec7638710c6992751846047c947d588925e267e849e07a88257ea486a418e5b70870e2559cb2063ff27ffcbffeb11f6c193199dd2ca31d40fbfaed13818cf092c736544b385c0');


--
-- Data for Name: kyc_documents; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kyc_documents VALUES ('doc_5kthg8mcgx0v0pkgfxd6844mrh', 'mer_5ds5t15yg118x411n66sfbbzc8', 'DEED', 'akta-contoh.png', 'image/png', 67, NULL, '2026-11-28 10:59:48.206717+00');


--
-- Data for Name: kyc_submissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kyc_submissions VALUES ('kyc_3qvq0rn965kjv40z9beedhe83k', 'mer_5ds5t15yg118x411n66sfbbzc8', 'v1.8c0cc17a.nvrUMJxLa-V_htlk0-11_b_lvrMQrk7Y2BBSl2jzw380PE1kCt9beaMOfQ3JYGuHrTX-46fnKZYy41Q1MZbMcDKYCtPfq7x864LTKuC4hKK6xFQttcm1XMW-3yy4RBCgcgGLoeyC8dzLimaVbKgemZI9y7L9zF0MCQpRJHFu6mv6IIc8MO8Vrn0hvZgXQJSuK_44PsIllg-gyXFn-B9lHhHUlAz0B98lCMqa5IuA4ktRCnOv_jQe35WxzF-ZAiTQwS9xUl64yexDKCU-SQeKb7LThSQfiW74ZJIJ_W3_pRPOKNDBCxrlsu3w3zonwLKjYByeVAXhZu1S1sAXT5A0kc0KBSLgrw0JOsr9PmdHpvilSaYkcGq2Y8ShXHjiXcbgaRycnsiSRc8018xxBgjUVQyKSRGXMiIUc8LQ7RBgjpZb3hxHsq8cAhGqStpMv9MvILh05RNP5BT6RNOQIkmn0d_oQT1dmXwLTu7PKv_ZeV4jBBpHgFEgrJ4OQXNZDfFgw-NDJ2ANxoPr5F2RhUySK7IZnM6E', '{doc_5kthg8mcgx0v0pkgfxd6844mrh}', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '2026-11-28 10:59:48.209544+00', 'PENDING', NULL, NULL, NULL);


--
-- Data for Name: kyc_uploads; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: mails; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: merchant_logos; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: merchant_rail_routes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: merchants; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.merchants VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'Toko Contoh', 'PENDING', false, NULL, NULL, NULL, NULL, NULL, '{endpoint_disabled,endpoint_failing,kyc_decided,payout_failed}', false, 'id', '2026-11-28 10:59:47.915907+00');


--
-- Data for Name: notices; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: one_time_links; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: operator_tasks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: owner_events; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: parked_commands; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: partitions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.partitions VALUES (0, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (7, NULL, 1795863589805, 1795863593303, 0);
INSERT INTO public.partitions VALUES (2, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (3, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (4, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (5, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (6, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (8, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (9, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (11, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (12, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (1, NULL, 1795863589805, 1795863593256, 0);
INSERT INTO public.partitions VALUES (14, NULL, 1795863589805, 0, 1);
INSERT INTO public.partitions VALUES (10, NULL, 1795863589805, 1795863592984, 0);
INSERT INTO public.partitions VALUES (15, NULL, 1795863589805, 1795863593383, 0);
INSERT INTO public.partitions VALUES (13, NULL, 1795863589805, 1795863593057, 0);


--
-- Data for Name: passkey_challenges; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: passkeys; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: payment_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payment_events VALUES (13, 1795863593057, 0, 0, 'pay_29z3vp23gddth9fgef5vtdf6jg', 2, 'payment_paid', '2026-11-28 10:59:53.057+00', '{"settlement":{"rail":"sandbox","railTransactionId":"sandbox-7aceafb8-fa18-8131-8450-8e12ec937be1","orderId":"7aceafb8-fa18-8131-8450-8e12ec937be1","amountMinor":"150000","currency":"IDR","settledAtMs":null},"isLate":false}', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '{"id":"evt_29z3vp23gddth9fgef5vtdf6jg0002","type":"payment.paid","created_at":"2026-11-28T10:59:53.057Z","data":{"id":"pay_29z3vp23gddth9fgef5vtdf6jg","status":"paid","amount":"150000","currency":"IDR","reference_id":null,"order_id":"7aceafb8-fa18-8131-8450-8e12ec937be1","paid_at":"2026-11-28T10:59:53.057Z","payment_method":"VA_BCA","refunded_amount":"0","failure_code":null,"late":false,"metadata":{"cart":"17"}}}');
INSERT INTO public.payment_events VALUES (1, 1795863593256, 0, 0, 'pay_4ndmnf8gah3wmpqrs8qgvftamp', 2, 'payment_failed', '2026-11-28 10:59:53.256+00', '{"failureCode":"simulated","orderId":"8d40c5a0-d4ac-8542-b24c-17c57baa491b"}', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '{"id":"evt_4ndmnf8gah3wmpqrs8qgvftamp0002","type":"payment.failed","created_at":"2026-11-28T10:59:53.256Z","data":{"id":"pay_4ndmnf8gah3wmpqrs8qgvftamp","status":"failed","amount":"150000","currency":"IDR","reference_id":null,"order_id":"8d40c5a0-d4ac-8542-b24c-17c57baa491b","paid_at":null,"payment_method":"QRIS","refunded_amount":"0","failure_code":"simulated","late":false,"metadata":{}}}');
INSERT INTO public.payment_events VALUES (7, 1795863593303, 0, 0, 'pay_1ktpbavdxkjkesrq8jyfw7v9jc', 2, 'payment_cancelled', '2026-11-28 10:59:53.303+00', '{}', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '{"id":"evt_1ktpbavdxkjkesrq8jyfw7v9jc0002","type":"payment.cancelled","created_at":"2026-11-28T10:59:53.303Z","data":{"id":"pay_1ktpbavdxkjkesrq8jyfw7v9jc","status":"cancelled","amount":"150000","currency":"IDR","reference_id":null,"order_id":"6c94f115-6ad0-853c-800e-37b814019e1f","paid_at":null,"payment_method":"QRIS","refunded_amount":"0","failure_code":null,"late":false,"metadata":{}}}');
INSERT INTO public.payment_events VALUES (15, 1795863593344, 0, 0, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 2, 'payment_paid', '2026-11-28 10:59:53.344+00', '{"settlement":{"rail":"sandbox","railTransactionId":"sandbox-2fe8d477-23fa-8e94-8e76-f1da71519116","orderId":"2fe8d477-23fa-8e94-8e76-f1da71519116","amountMinor":"150000","currency":"IDR","settledAtMs":null},"isLate":false}', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '{"id":"evt_5wvhhx8axw96pg3xmn4ns16w4s0002","type":"payment.paid","created_at":"2026-11-28T10:59:53.344Z","data":{"id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","status":"paid","amount":"150000","currency":"IDR","reference_id":null,"order_id":"2fe8d477-23fa-8e94-8e76-f1da71519116","paid_at":"2026-11-28T10:59:53.344Z","payment_method":"QRIS","refunded_amount":"0","failure_code":null,"late":false,"metadata":{}}}');
INSERT INTO public.payment_events VALUES (15, 1795863593366, 0, 0, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 3, 'refund_requested', '2026-11-28 10:59:53.366+00', '{"refundId":"ref_09gdgdh3a1nx7033w951vek9vk","amount":"50000"}', NULL, NULL, NULL);
INSERT INTO public.payment_events VALUES (15, 1795863593366, 0, 1, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 4, 'refund_succeeded', '2026-11-28 10:59:53.366+00', '{"refundId":"ref_09gdgdh3a1nx7033w951vek9vk"}', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '{"id":"evt_5wvhhx8axw96pg3xmn4ns16w4s0004","type":"payment.refunded","created_at":"2026-11-28T10:59:53.366Z","data":{"id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","status":"paid","amount":"150000","currency":"IDR","reference_id":null,"order_id":"2fe8d477-23fa-8e94-8e76-f1da71519116","paid_at":"2026-11-28T10:59:53.344Z","payment_method":"QRIS","refunded_amount":"50000","failure_code":null,"late":false,"metadata":{},"refund_id":"ref_09gdgdh3a1nx7033w951vek9vk","refund_amount":"50000"}}');
INSERT INTO public.payment_events VALUES (15, 1795863593383, 0, 0, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 5, 'refund_requested', '2026-11-28 10:59:53.383+00', '{"refundId":"ref_6bn275dcx9aad2pg8hhj7ak88j","amount":"100000"}', NULL, NULL, NULL);
INSERT INTO public.payment_events VALUES (15, 1795863593383, 0, 1, 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 6, 'refund_succeeded', '2026-11-28 10:59:53.383+00', '{"refundId":"ref_6bn275dcx9aad2pg8hhj7ak88j"}', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '{"id":"evt_5wvhhx8axw96pg3xmn4ns16w4s0006","type":"payment.refunded","created_at":"2026-11-28T10:59:53.383Z","data":{"id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","status":"refunded","amount":"150000","currency":"IDR","reference_id":null,"order_id":"2fe8d477-23fa-8e94-8e76-f1da71519116","paid_at":"2026-11-28T10:59:53.344Z","payment_method":"QRIS","refunded_amount":"150000","failure_code":null,"late":false,"metadata":{},"refund_id":"ref_6bn275dcx9aad2pg8hhj7ak88j","refund_amount":"100000"}}');


--
-- Data for Name: payment_follower_cursors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payment_follower_cursors VALUES (0, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (2, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (3, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (4, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (5, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (6, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (8, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (9, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (10, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (11, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (12, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (14, 0, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (13, 1795863593057, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (1, 1795863593256, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (7, 1795863593303, 0, 0);
INSERT INTO public.payment_follower_cursors VALUES (15, 1795863593383, 0, 1);


--
-- Data for Name: payment_link_uses; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: payment_links; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payment_links VALUES ('plink_57e6nbd1xyyzdq0zaq08rgwe68', 'hcpm8ea4s3yb23hg', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'Coffee class', NULL, 150000, NULL, NULL, 'IDR', 20, 0, true, NULL, NULL, '2026-11-28 10:59:54.711+00');


--
-- Data for Name: payment_search; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payment_search VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '2026-11-28 10:59:52.984+00', 'pay_1kfqty9j88mjkpvczye5dj3n24', '''HQleg11'' ''HQleg1150000'' ''HQleg11kfqty9j88mjkpvczye5dj3n24'' ''HQleg1budi'' ''HQleg1com'' ''HQleg1example'' ''HQleg1order'' ''HQleg1santoso''');
INSERT INTO public.payment_search VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '2026-11-28 10:59:53.033+00', 'pay_29z3vp23gddth9fgef5vtdf6jg', '''HQleg1150000'' ''HQleg117'' ''HQleg129z3vp23gddth9fgef5vtdf6jg'' ''HQleg1cart''');
INSERT INTO public.payment_search VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '2026-11-28 10:59:53.232+00', 'pay_4ndmnf8gah3wmpqrs8qgvftamp', '''HQleg1150000'' ''HQleg14ndmnf8gah3wmpqrs8qgvftamp''');
INSERT INTO public.payment_search VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '2026-11-28 10:59:53.288+00', 'pay_1ktpbavdxkjkesrq8jyfw7v9jc', '''HQleg1150000'' ''HQleg11ktpbavdxkjkesrq8jyfw7v9jc''');
INSERT INTO public.payment_search VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '2026-11-28 10:59:53.319+00', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', '''HQleg1150000'' ''HQleg15wvhhx8axw96pg3xmn4ns16w4s''');


--
-- Data for Name: payment_search_cursors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payment_search_cursors VALUES (0, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (2, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (3, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (4, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (5, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (6, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (8, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (9, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (11, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (12, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (14, 0, 1);
INSERT INTO public.payment_search_cursors VALUES (1, 1795863593256, 0);
INSERT INTO public.payment_search_cursors VALUES (10, 1795863592984, 0);
INSERT INTO public.payment_search_cursors VALUES (13, 1795863593057, 0);
INSERT INTO public.payment_search_cursors VALUES (7, 1795863593303, 0);
INSERT INTO public.payment_search_cursors VALUES (15, 1795863593383, 0);


--
-- Data for Name: payment_totals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payment_totals VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '2026-11-28 10:45:00+00', 'cancelled', 'IDR', 1, 150000);
INSERT INTO public.payment_totals VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '2026-11-28 10:45:00+00', 'failed', 'IDR', 1, 150000);
INSERT INTO public.payment_totals VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '2026-11-28 10:45:00+00', 'paid', 'IDR', 2, 300000);
INSERT INTO public.payment_totals VALUES ('mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '2026-11-28 10:45:00+00', 'refunded', 'IDR', 2, 150000);


--
-- Data for Name: payment_totals_cursors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payment_totals_cursors VALUES (0, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (2, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (3, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (4, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (5, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (6, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (8, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (9, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (10, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (11, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (12, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (14, 0, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (1, 1795863593256, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (7, 1795863593303, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (13, 1795863593057, 0, 0);
INSERT INTO public.payment_totals_cursors VALUES (15, 1795863593383, 0, 1);


--
-- Data for Name: payments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payments VALUES ('pay_1kfqty9j88mjkpvczye5dj3n24', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'pending', 150000, 'IDR', 'QRIS', 'order-1', '2026-11-28 10:59:52.984+00', '2026-11-28 11:14:52.984+00', 1, '{"id":"pay_1kfqty9j88mjkpvczye5dj3n24","object":"payment","environment":"TEST","status":"pending","amount":"150000","currency":"IDR","description":null,"reference_id":"order-1","payment_method":"QRIS","customer_name":"Budi Santoso","customer_email":"budi@example.com","customer_phone":null,"success_url":null,"cancel_url":null,"order_id":"55c97549-f147-8562-aa48-3c068727ca67","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:52.984Z","expires_at":"2026-11-28T11:14:52.984Z","paid_at":null,"failed_at":null,"cancelled_at":null,"refunded_at":null,"internal":{"format":2,"merchantId":"mer_5ds5t15yg118x411n66sfbbzc8","version":1,"attempts":[{"rail":"sandbox","method":"QRIS","status":"open"}]}}');
INSERT INTO public.payments VALUES ('pay_29z3vp23gddth9fgef5vtdf6jg', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'paid', 150000, 'IDR', 'VA_BCA', NULL, '2026-11-28 10:59:53.033+00', NULL, 2, '{"id":"pay_29z3vp23gddth9fgef5vtdf6jg","object":"payment","environment":"TEST","status":"paid","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"VA_BCA","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"order_id":"7aceafb8-fa18-8131-8450-8e12ec937be1","refunded_amount":"0","refundable_amount":"150000","failure_code":null,"late":false,"metadata":{"cart":"17"},"created_at":"2026-11-28T10:59:53.033Z","expires_at":"2026-11-29T10:59:53.033Z","paid_at":"2026-11-28T10:59:53.057Z","failed_at":null,"cancelled_at":null,"refunded_at":null,"internal":{"format":2,"merchantId":"mer_5ds5t15yg118x411n66sfbbzc8","version":2,"attempts":[{"rail":"sandbox","method":"VA_BCA","status":"settled"}],"railTransactions":[{"rail":"sandbox","id":"sandbox-7aceafb8-fa18-8131-8450-8e12ec937be1","state":"captured","amountMinor":"150000","currency":"IDR"}],"capture":{"rail":"sandbox","railTransactionId":"sandbox-7aceafb8-fa18-8131-8450-8e12ec937be1","orderId":"7aceafb8-fa18-8131-8450-8e12ec937be1","holdUntilMs":null}}}');
INSERT INTO public.payments VALUES ('pay_4ndmnf8gah3wmpqrs8qgvftamp', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'failed', 150000, 'IDR', 'QRIS', NULL, '2026-11-28 10:59:53.232+00', NULL, 2, '{"id":"pay_4ndmnf8gah3wmpqrs8qgvftamp","object":"payment","environment":"TEST","status":"failed","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"order_id":"8d40c5a0-d4ac-8542-b24c-17c57baa491b","refunded_amount":"0","refundable_amount":"0","failure_code":"simulated","late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.232Z","expires_at":"2026-11-28T11:14:53.232Z","paid_at":null,"failed_at":"2026-11-28T10:59:53.256Z","cancelled_at":null,"refunded_at":null,"internal":{"format":2,"merchantId":"mer_5ds5t15yg118x411n66sfbbzc8","version":2,"attempts":[{"rail":"sandbox","method":"QRIS","status":"failed"}]}}');
INSERT INTO public.payments VALUES ('pay_1ktpbavdxkjkesrq8jyfw7v9jc', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'cancelled', 150000, 'IDR', 'QRIS', NULL, '2026-11-28 10:59:53.288+00', NULL, 2, '{"id":"pay_1ktpbavdxkjkesrq8jyfw7v9jc","object":"payment","environment":"TEST","status":"cancelled","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"order_id":"6c94f115-6ad0-853c-800e-37b814019e1f","refunded_amount":"0","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.288Z","expires_at":"2026-11-28T11:14:53.288Z","paid_at":null,"failed_at":null,"cancelled_at":"2026-11-28T10:59:53.303Z","refunded_at":null,"internal":{"format":2,"merchantId":"mer_5ds5t15yg118x411n66sfbbzc8","version":2,"attempts":[{"rail":"sandbox","method":"QRIS","status":"closed"}]}}');
INSERT INTO public.payments VALUES ('pay_5wvhhx8axw96pg3xmn4ns16w4s', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'refunded', 150000, 'IDR', 'QRIS', NULL, '2026-11-28 10:59:53.319+00', NULL, 6, '{"id":"pay_5wvhhx8axw96pg3xmn4ns16w4s","object":"payment","environment":"TEST","status":"refunded","amount":"150000","currency":"IDR","description":null,"reference_id":null,"payment_method":"QRIS","customer_name":null,"customer_email":null,"customer_phone":null,"success_url":null,"cancel_url":null,"order_id":"2fe8d477-23fa-8e94-8e76-f1da71519116","refunded_amount":"150000","refundable_amount":"0","failure_code":null,"late":false,"metadata":{},"created_at":"2026-11-28T10:59:53.319Z","expires_at":"2026-11-28T11:14:53.319Z","paid_at":"2026-11-28T10:59:53.344Z","failed_at":null,"cancelled_at":null,"refunded_at":"2026-11-28T10:59:53.383Z","internal":{"format":2,"merchantId":"mer_5ds5t15yg118x411n66sfbbzc8","version":6,"attempts":[{"rail":"sandbox","method":"QRIS","status":"settled"}],"railTransactions":[{"rail":"sandbox","id":"sandbox-2fe8d477-23fa-8e94-8e76-f1da71519116","state":"captured","amountMinor":"150000","currency":"IDR"}],"refunds":[{"id":"ref_09gdgdh3a1nx7033w951vek9vk","status":"succeeded","amountMinor":"50000","requestedMinor":"50000","reason":"One coffee was cold","createdAtMs":1795863593366,"completedAtMs":1795863593366},{"id":"ref_6bn275dcx9aad2pg8hhj7ak88j","status":"succeeded","amountMinor":"100000","createdAtMs":1795863593383,"completedAtMs":1795863593383}],"capture":{"rail":"sandbox","railTransactionId":"sandbox-2fe8d477-23fa-8e94-8e76-f1da71519116","orderId":"2fe8d477-23fa-8e94-8e76-f1da71519116","holdUntilMs":null}}}');


--
-- Data for Name: payments_processes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: payout_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payout_events VALUES ('po_5ttj7wsqrdbv211jk6hfz5zh9f', 1, 'payout_requested', '2026-11-28 10:59:53.405+00', '{}', NULL, NULL, NULL);
INSERT INTO public.payout_events VALUES ('po_5ttj7wsqrdbv211jk6hfz5zh9f', 2, 'payout_sent', '2026-11-28 10:59:54.324+00', '{"rail":"sandbox"}', NULL, NULL, NULL);
INSERT INTO public.payout_events VALUES ('po_5ttj7wsqrdbv211jk6hfz5zh9f', 3, 'payout_completed', '2026-11-28 10:59:54.339+00', '{"railReference":"po_5ttj7wsqrdbv211jk6hfz5zh9f","externalReference":null}', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', '{"id":"evt_5ttj7wsqrdbv211jk6hfz5zh9f0003","type":"payout.completed","created_at":"2026-11-28T10:59:54.339Z","data":{"id":"po_5ttj7wsqrdbv211jk6hfz5zh9f","status":"COMPLETED","amount":"100000","currency":"IDR","reference_id":null,"failure_code":null,"completed_at":"2026-11-28T10:59:54.339Z","failed_at":null,"reversed_at":null}}');


--
-- Data for Name: payouts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.payouts VALUES ('po_5ttj7wsqrdbv211jk6hfz5zh9f', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'COMPLETED', 100000, 'IDR', 'BCA', '1234567890', 'Budi Santoso', NULL, NULL, '1:SjyHlyywAm_L52G4588MPm', 3, 'sandbox', 'po_5ttj7wsqrdbv211jk6hfz5zh9f', NULL, NULL, NULL, false, NULL, '2026-11-28 10:59:53.405+00', '2026-11-28 10:59:54.324+00', '2026-11-28 10:59:54.339+00', NULL, NULL, NULL, NULL, false, NULL, 0, NULL, false);


--
-- Data for Name: postgres_timelines; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.postgres_timelines OVERRIDING SYSTEM VALUE VALUES (1, 1, '2026-11-28 10:59:50.499792+00');


--
-- Data for Name: postings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.postings VALUES ('payment', 'pay_29z3vp23gddth9fgef5vtdf6jg', 2, 0, 'rail_clearing:sandbox:TEST:IDR', 'merchant_available:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 150000, 'IDR', 'payment_paid', '2026-11-28 10:59:53.101+00');
INSERT INTO public.postings VALUES ('payment', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 2, 0, 'rail_clearing:sandbox:TEST:IDR', 'merchant_available:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 150000, 'IDR', 'payment_paid', '2026-11-28 10:59:53.345+00');
INSERT INTO public.postings VALUES ('payment', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 3, 0, 'merchant_available:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 'refund_clearing:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 50000, 'IDR', 'refund_requested', '2026-11-28 10:59:53.371+00');
INSERT INTO public.postings VALUES ('payment', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 4, 0, 'refund_clearing:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 'rail_clearing:sandbox:TEST:IDR', 50000, 'IDR', 'refund_succeeded', '2026-11-28 10:59:53.371+00');
INSERT INTO public.postings VALUES ('payment', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 5, 0, 'merchant_available:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 'refund_clearing:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 100000, 'IDR', 'refund_requested', '2026-11-28 10:59:53.385+00');
INSERT INTO public.postings VALUES ('payment', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 6, 0, 'refund_clearing:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 'rail_clearing:sandbox:TEST:IDR', 100000, 'IDR', 'refund_succeeded', '2026-11-28 10:59:53.385+00');
INSERT INTO public.postings VALUES ('payout', 'po_5ttj7wsqrdbv211jk6hfz5zh9f', 1, 0, 'merchant_available:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 'payout_clearing:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 100000, 'IDR', 'payout_requested', '2026-11-28 10:59:53.405+00');
INSERT INTO public.postings VALUES ('payout', 'po_5ttj7wsqrdbv211jk6hfz5zh9f', 3, 0, 'payout_clearing:mer_5ds5t15yg118x411n66sfbbzc8:TEST:IDR', 'rail_clearing:sandbox:TEST:IDR', 100000, 'IDR', 'payout_completed', '2026-11-28 10:59:54.339+00');


--
-- Data for Name: rail_bookings; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: rail_callbacks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: rail_calls; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: rail_differences; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: rail_facts; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: rail_offers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rail_offers VALUES ('xendit', 'VA_MANDIRI', 1, 1, 50000000000, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('xendit', 'VA_PERMATA', 1, 1, 9999999999, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('midtrans', 'QRIS', 0, 1, 10000000, 604800, true, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('midtrans', 'VA_BCA', 0, 10000, 20000000000, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('midtrans', 'VA_BNI', 0, 1, 50000000000, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('midtrans', 'VA_BRI', 0, 1, 20000000000, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('midtrans', 'VA_MANDIRI', 0, 1, 50000000000, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('midtrans', 'VA_PERMATA', 0, 1, 9999999999, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('xendit', 'QRIS', 1, 1, 10000000, 172800, true, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('xendit', 'VA_BCA', 1, 10000, 50000000, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('xendit', 'VA_BNI', 1, 1, 50000000000, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');
INSERT INTO public.rail_offers VALUES ('xendit', 'VA_BRI', 1, 1, 50000000000, 604800, false, NULL, '2026-11-28 10:59:57.312948+00');


--
-- Data for Name: rail_reconciliations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rail_reconciliations VALUES ('midtrans', '2026-11-27', NULL, '2026-11-28 10:59:50.582263+00', 1, NULL, 'list', NULL, 0, 0, 0, 1, '2026-11-28 10:59:50.641865+00');
INSERT INTO public.rail_reconciliations VALUES ('xendit', '2026-11-27', NULL, '2026-11-28 10:59:50.582263+00', 1, NULL, 'list', NULL, 0, 0, 0, 1, '2026-11-28 10:59:50.694464+00');


--
-- Data for Name: rail_sightings; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: rail_transactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rail_transactions VALUES ('sandbox', 'sandbox-7aceafb8-fa18-8131-8450-8e12ec937be1', 'pay_29z3vp23gddth9fgef5vtdf6jg', '2026-11-28 10:59:53.130054+00');
INSERT INTO public.rail_transactions VALUES ('sandbox', 'sandbox-2fe8d477-23fa-8e94-8e76-f1da71519116', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', '2026-11-28 10:59:53.345975+00');


--
-- Data for Name: rail_watches; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: recovery_codes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: redis_servers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.redis_servers VALUES ('c2e3c9c889ec0b84727bd6066b9f8250b6e30986_14fbea0b3704e85570a7ba565c7b7be5c3282874', '2026-11-28 10:59:51.326855+00');


--
-- Data for Name: refunds; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refunds VALUES ('ref_09gdgdh3a1nx7033w951vek9vk', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'succeeded', '2026-11-28 10:59:53.366+00');
INSERT INTO public.refunds VALUES ('ref_6bn275dcx9aad2pg8hhj7ak88j', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'succeeded', '2026-11-28 10:59:53.383+00');


--
-- Data for Name: schema_files; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_files VALUES ('schema/0001_installation.sql', '66e1b39af20fe2fe3d5ff1c766f7dfc523d54ac169f00db3b27cbafded9b5b8b', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0002_merchants.sql', '62af9fdc3af19bb36c45d334fdc046beceef0335dd142692d20037fce58aa9ad', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0003_accounts.sql', '1bb9700f34c9d8547220fc8f92a1037616cc404c24ae10418237a5ac14b3cb00', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0004_payments.sql', 'ed3f2c70ef6175179c92ad35f3263306bc4d1013b462b33225624526e25a7632', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0005_ledger.sql', '6e4cffde03b29c0815656a7b6d2bedde4e767e0c205a5f7bf46ac2c111e466a0', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0006_rails.sql', '50fe3dfabe112be7e2ba276f37926798c3696caa7f8e62e4c8d560cd5ded837f', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0007_reconciliation.sql', '6562d2da087f683e6a127c07420ae712146467ff585e2f55862db0ddddaa0b70', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0008_payouts.sql', '1e3f879c672ca083b02b863426cfb35a29aee57967016a9f5aff6831aa3eeb1d', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0009_tasks.sql', '6cfa3c01c631a6af979d7acfb549b890e278202a2fbe463707674dbdd1920367', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0010_webhooks.sql', 'ea46fb506ee9a937a87541180065400157038a94e3d35ebff54b8b6fddab3d60', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0011_payment_links.sql', '69639635b4de239852818b6241d1d80a9f19f6e1db83dfdac24011f793c2811a', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0012_invoices.sql', '2e98208c9d2285abd3be119d8481ec973cad3f8e3bb1d061d81440825b739944', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0013_api_logs.sql', 'de4d24a5fd67f8b9995bb0b2fc3e14b1a09c1446bec76b7b1e2fbdb5ea13142a', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0014_erasures.sql', '2668f08a24d5e7f4ce34f3e73fe2f5210419305be6919cdca01821f563348929', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0015_approvals.sql', 'a86ff239347f029ffaf740c6dd3c4cd57344c2299850bcdf0b8b6f43005a7cd5', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0016_kyc_document_parts.sql', '7a124b77bb102354b6b8e91241414cb0f32f51fbf792ddfc44c53002b251534e', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0017_passkeys.sql', '96f59a750747b83039d8bd00ec7628f97c666999c7c4ca4653fce2a11a81362d', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0018_totals.sql', '1b1b6d3f87d51fa83e3681cfbca8f7e3b69fcf78e93569ce8465c3602ea75151', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0019_invoice_mails.sql', '414c620557b1a83a834aaccbbabdaec333f454df0a128bc0f58ebe8872cfabb0', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('schema/0020_payment_search.sql', '072639a8f71325bc10ce635e65a98cfbef94dd50ca5a2aaed94c4c0726cd85c1', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/commit_rows.sql', '733836bbbdf9aa2abb621aff093704f720f1addce46899a3c58ed918a580c2a9', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/accounts.sql', 'df3841079fbeee2601c6c58c0274d4d4bace8a06fee6370820629cb00c71a7ba', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/api_logs.sql', 'd02bc2cfa92ca6ff43ddc2322b4e397d866174c69fb3b04c93729813bf45ca11', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/approvals.sql', '292fed166b1a9bd8ae5a1b24bc0ab9cddad999f9dcae8c4070f286a92d09351e', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/audit.sql', '97cbd3a91101ff13d9c04088c3fb4754a6759185f785efc5a4c040937079b201', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/erasures.sql', '5a5d6a8d0f9e509b621df5aa340142fc780bf87c08968bf4207491cf7f344970', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/invoices.sql', '5645acfa6aaf7d336effdd28179449cc507d380135f6fc3d49a5c3c7be561ccd', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/ledger.sql', '95aadeb396d51379c537bac298996a4fcb3462ec525a67060a8d3ddbbec66dfc', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/mails.sql', 'a1f7effb954cd111b6cf4310a4c4243b4dc90276e918a707d195c2fe9138e09c', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/merchants.sql', '93207448f139951b63a45b3ca62a7d5504a68f7a8c49770c01ef05ac5e67ec6c', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/notices.sql', '1a3d441c63ebfc1d1359d6010dcef4e91d56a7f6001701cb8ff14fc4be940b38', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/payment_links.sql', '8b12bbca8e07f9e19210fb441edb2b396ce0a1b42aafb9dc958f31674b0e4176', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/payments.sql', '0fd5c6f339d350f41e09342a9d0a5826068778f25146b350ca8dc31460d0abdb', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/payouts.sql', '55c1482eb82cfb608af96e998b43f11cd72fe28830c0e6413c10c23f9dd7f52e', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/rails.sql', 'aac04befa9226e333c6b5e619328ea4bd45260e8deda3924ec9312b91e7ef25e', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/reconciliation.sql', 'ab132f88d4448107ce5332b5438aa23904fed4088f30f8c8df3c9b4a5472baff', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/search.sql', '2419e92c7de15a4beae179427678edf5dbe5f3a5b6e2442dca8d538098faefdf', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/tasks.sql', '93eade47ffabe5f6ee73e156cc1b4ad9ad78700e5e53b7a44cad5eb7971daef5', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/totals.sql', '2e711e39d228d66c08203f7deb6c2024e1d73294be84b33e174fe85bf1bc905e', '2026-11-28 10:59:46.851944+00');
INSERT INTO public.schema_files VALUES ('functions/webhooks.sql', '07ad2945d9ebd83d8fda49044b11c59081519a5d7d372824fa6016c5e40c0d90', '2026-11-28 10:59:46.851944+00');


--
-- Data for Name: schema_functions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_functions VALUES ('act_as(text,text)');
INSERT INTO public.schema_functions VALUES ('add_passkey(text,text,passkeys,text[],integer)');
INSERT INTO public.schema_functions VALUES ('apply_balance_correction(text,text,text,text,boolean)');
INSERT INTO public.schema_functions VALUES ('ask_erasures(text,text,text[],boolean,boolean)');
INSERT INTO public.schema_functions VALUES ('ask_erasures_by_age(integer,integer)');
INSERT INTO public.schema_functions VALUES ('audit_change()');
INSERT INTO public.schema_functions VALUES ('begin_change_of_user(text,text,text)');
INSERT INTO public.schema_functions VALUES ('begin_invoice_payment(text,integer,text)');
INSERT INTO public.schema_functions VALUES ('begin_kyc_upload(text,text,integer,integer,bigint,integer)');
INSERT INTO public.schema_functions VALUES ('book_at_rail(jsonb,text,text,text)');
INSERT INTO public.schema_functions VALUES ('book_payout_postings(text,jsonb)');
INSERT INTO public.schema_functions VALUES ('book_unknown_order(text,text,text,text,text,text,bigint,text)');
INSERT INTO public.schema_functions VALUES ('change_password(text,text,text,text)');
INSERT INTO public.schema_functions VALUES ('change_role(text,text,text,text)');
INSERT INTO public.schema_functions VALUES ('change_webhook_endpoint(text,text,text,text[],boolean,boolean)');
INSERT INTO public.schema_functions VALUES ('choose_password(text,text)');
INSERT INTO public.schema_functions VALUES ('claim_payment_link_use(text,text)');
INSERT INTO public.schema_functions VALUES ('commit_batch(text,text,text,text,text)');
INSERT INTO public.schema_functions VALUES ('commit_consequences(timestamp with time zone,text,text,text,text,text,text,text,text)');
INSERT INTO public.schema_functions VALUES ('commit_layout()');
INSERT INTO public.schema_functions VALUES ('confirm_totp(text,text,text,bigint,text[])');
INSERT INTO public.schema_functions VALUES ('correct_manual_postings()');
INSERT INTO public.schema_functions VALUES ('create_webhook_endpoint(text,text,text,text,text[],text,boolean,integer)');
INSERT INTO public.schema_functions VALUES ('decide_verification(text,text,text,text)');
INSERT INTO public.schema_functions VALUES ('dialled(text)');
INSERT INTO public.schema_functions VALUES ('digest_audit_row()');
INSERT INTO public.schema_functions VALUES ('digest_mailbox(text)');
INSERT INTO public.schema_functions VALUES ('end_erasure(text)');
INSERT INTO public.schema_functions VALUES ('end_kyc_uploads(text[])');
INSERT INTO public.schema_functions VALUES ('end_sessions(text,text)');
INSERT INTO public.schema_functions VALUES ('erase_audited_user(text)');
INSERT INTO public.schema_functions VALUES ('erase_invoice(text)');
INSERT INTO public.schema_functions VALUES ('erase_payment_traces(text,text[],text[],boolean)');
INSERT INTO public.schema_functions VALUES ('erase_payout(text,boolean)');
INSERT INTO public.schema_functions VALUES ('erase_records(text,text[])');
INSERT INTO public.schema_functions VALUES ('erase_reference(text)');
INSERT INTO public.schema_functions VALUES ('expedite_inquiries(text,jsonb)');
INSERT INTO public.schema_functions VALUES ('failed_webhooks(text,text,text,timestamp with time zone,timestamp with time zone,boolean)');
INSERT INTO public.schema_functions VALUES ('finalize_invoice(text,text,integer,text,text,text,text,integer)');
INSERT INTO public.schema_functions VALUES ('find_customer(erasure_requests,integer)');
INSERT INTO public.schema_functions VALUES ('find_refund_amount(text)');
INSERT INTO public.schema_functions VALUES ('find_shard(text,integer)');
INSERT INTO public.schema_functions VALUES ('find_shard_of_cause(text,text)');
INSERT INTO public.schema_functions VALUES ('find_webhook_endpoint_rejection(text,text,boolean,integer)');
INSERT INTO public.schema_functions VALUES ('follow_negative_balances(interval)');
INSERT INTO public.schema_functions VALUES ('follow_payments(integer,smallint[])');
INSERT INTO public.schema_functions VALUES ('follow_totals(integer,smallint[])');
INSERT INTO public.schema_functions VALUES ('forget_attempts()');
INSERT INTO public.schema_functions VALUES ('frame_audited(text)');
INSERT INTO public.schema_functions VALUES ('give_back_payment_link_claim(text,text)');
INSERT INTO public.schema_functions VALUES ('has_active_webhook_endpoint(text,text,text)');
INSERT INTO public.schema_functions VALUES ('has_other_owner(text,text)');
INSERT INTO public.schema_functions VALUES ('has_second_factor(users)');
INSERT INTO public.schema_functions VALUES ('hash_audit_row(bytea,audit_log)');
INSERT INTO public.schema_functions VALUES ('hold_session(text)');
INSERT INTO public.schema_functions VALUES ('invoice_number(bigint)');
INSERT INTO public.schema_functions VALUES ('keep_api_log_days(integer,integer)');
INSERT INTO public.schema_functions VALUES ('keep_audit_row()');
INSERT INTO public.schema_functions VALUES ('limit_mail()');
INSERT INTO public.schema_functions VALUES ('link_audit_rows()');
INSERT INTO public.schema_functions VALUES ('lock_audit_chains()');
INSERT INTO public.schema_functions VALUES ('lock_users(text)');
INSERT INTO public.schema_functions VALUES ('lock_webhook_endpoints(text)');
INSERT INTO public.schema_functions VALUES ('look_through(text,integer)');
INSERT INTO public.schema_functions VALUES ('mail_invoice(text,text,text,text,text,text,text,integer)');
INSERT INTO public.schema_functions VALUES ('mail_limits(text)');
INSERT INTO public.schema_functions VALUES ('move_payout(jsonb,integer,integer,bigint,jsonb,jsonb,jsonb)');
INSERT INTO public.schema_functions VALUES ('name_task_owner()');
INSERT INTO public.schema_functions VALUES ('note_failed_login(text,text)');
INSERT INTO public.schema_functions VALUES ('note_payout_events(payouts,jsonb)');
INSERT INTO public.schema_functions VALUES ('note_timeline()');
INSERT INTO public.schema_functions VALUES ('post(text,text,integer,text,text,bigint,text,text)');
INSERT INTO public.schema_functions VALUES ('put_audit_head(audit_heads)');
INSERT INTO public.schema_functions VALUES ('put_recovery_codes(text,text[])');
INSERT INTO public.schema_functions VALUES ('read_changed(text)');
INSERT INTO public.schema_functions VALUES ('read_created(text)');
INSERT INTO public.schema_functions VALUES ('read_deferred(text)');
INSERT INTO public.schema_functions VALUES ('read_envelope(text)');
INSERT INTO public.schema_functions VALUES ('read_events(text)');
INSERT INTO public.schema_functions VALUES ('read_positions(text)');
INSERT INTO public.schema_functions VALUES ('read_postings(text)');
INSERT INTO public.schema_functions VALUES ('read_quarantined(text)');
INSERT INTO public.schema_functions VALUES ('read_rail_calls(text)');
INSERT INTO public.schema_functions VALUES ('read_rail_transactions(text)');
INSERT INTO public.schema_functions VALUES ('read_refunds(text)');
INSERT INTO public.schema_functions VALUES ('read_resumed(text)');
INSERT INTO public.schema_functions VALUES ('read_tasks(text)');
INSERT INTO public.schema_functions VALUES ('read_text(text)');
INSERT INTO public.schema_functions VALUES ('read_timeline()');
INSERT INTO public.schema_functions VALUES ('record_failed_logins(failed_logins)');
INSERT INTO public.schema_functions VALUES ('record_reconciled_page(text,date,integer,double precision,text,text,integer,integer,double precision,integer,jsonb,jsonb,jsonb,jsonb)');
INSERT INTO public.schema_functions VALUES ('refuse_change()');
INSERT INTO public.schema_functions VALUES ('remove_factors(text)');
INSERT INTO public.schema_functions VALUES ('remove_idle_recovery_codes(text)');
INSERT INTO public.schema_functions VALUES ('remove_passkey(text,text,text)');
INSERT INTO public.schema_functions VALUES ('remove_totp(text,text)');
INSERT INTO public.schema_functions VALUES ('remove_user(text,text,text)');
INSERT INTO public.schema_functions VALUES ('remove_work_of_stranger(text)');
INSERT INTO public.schema_functions VALUES ('renew_recovery_codes(text,text,text[])');
INSERT INTO public.schema_functions VALUES ('replace_search_terms(text,text[])');
INSERT INTO public.schema_functions VALUES ('report_failed_logins(integer)');
INSERT INTO public.schema_functions VALUES ('reserve_payout(jsonb,text,jsonb,jsonb)');
INSERT INTO public.schema_functions VALUES ('reset_factors(text)');
INSERT INTO public.schema_functions VALUES ('resolve_task(text,text,text,text,text,text,text,text,text,text,bigint,text,text)');
INSERT INTO public.schema_functions VALUES ('set_administrator(text,text,boolean)');
INSERT INTO public.schema_functions VALUES ('set_live(text,boolean)');
INSERT INTO public.schema_functions VALUES ('settle_invoice(invoices)');
INSERT INTO public.schema_functions VALUES ('settle_invoices(text[])');
INSERT INTO public.schema_functions VALUES ('settle_payment_link_uses(text[])');
INSERT INTO public.schema_functions VALUES ('show_audited(text,jsonb)');
INSERT INTO public.schema_functions VALUES ('shows_amount(text)');
INSERT INTO public.schema_functions VALUES ('split(text)');
INSERT INTO public.schema_functions VALUES ('step_webhook_replay(text,text,integer)');
INSERT INTO public.schema_functions VALUES ('submit_kyc(text,text,text,text[],text)');
INSERT INTO public.schema_functions VALUES ('takes_payments(text,text)');
INSERT INTO public.schema_functions VALUES ('task_standing(operator_tasks)');
INSERT INTO public.schema_functions VALUES ('undo_probe()');
INSERT INTO public.schema_functions VALUES ('void_invoice(text,text)');
INSERT INTO public.schema_functions VALUES ('wait_for_mail(text,text,text,integer)');
INSERT INTO public.schema_functions VALUES ('write_notice(text,text,text,json)');


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sessions VALUES ('ses_33zr78dj341afda017q9hmbc0e', 'usr_1n1w915vqkba0gxncqf8rkrfsb', '\x764aed1075c29ef33c70a71d736e9e0135277d8c67b7ef1584a3e9c5720bea6f', '127.0.0.1', '2026-11-28 10:59:54.613183+00', '2026-11-28 10:59:54.613183+00', '2026-11-28 22:59:54.612+00', NULL);


--
-- Data for Name: step_up_codes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: switches; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES ('usr_1n1w915vqkba0gxncqf8rkrfsb', 'owner-fbbzc8@example.com', 'mer_5ds5t15yg118x411n66sfbbzc8', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$rWkR9ua0AYgslNAAeMChpQ$9D3HssTJgctLba/kMljMv9WnOWAEbGp8H2bkBw3FCrA', 'id', '2026-11-28 10:59:48.130527+00', NULL, NULL, 0, '2026-11-28 10:59:48.130527+00', NULL, NULL, 0);
INSERT INTO public.users VALUES ('usr_5j09hhjz55rr50pjrsjwg7n250', 'admin-fbbzc8@example.com', NULL, 'admin', '$argon2id$v=19$m=19456,t=2,p=1$LyVn8AXD2Z/VL6blvW4N0g$EcUqTM/SbgkWT78g2+iM2yVnaxZ5VkNOdhqqAql5hhc', 'id', '2026-11-28 10:59:48.149365+00', NULL, NULL, 0, '2026-11-28 10:59:48.149365+00', NULL, NULL, 0);
INSERT INTO public.users VALUES ('usr_65bt356k1j4kxhn99fy4tj56s5', 'admin2-fbbzc8@example.com', NULL, 'admin', '$argon2id$v=19$m=19456,t=2,p=1$xx8qqToShZKS0jH7vY4jug$2BuRZXOgLWTdTVn0SVdiPxMB57KkGI3EeopiHVFZUmU', 'id', '2026-11-28 10:59:48.178019+00', NULL, NULL, 0, '2026-11-28 10:59:48.178019+00', NULL, NULL, 0);


--
-- Data for Name: webhook_attempts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_attempts VALUES ('del_6251ab9913d30437f2f9fc7503408a54', 1, '2026-11-28 10:59:53.274742+00', 46, 200, NULL, NULL, 'ok');
INSERT INTO public.webhook_attempts VALUES ('del_c6b964d9ad94b0fb07726d0c6672837f', 1, '2026-11-28 10:59:53.329964+00', 33, 200, NULL, NULL, 'ok');
INSERT INTO public.webhook_attempts VALUES ('del_15b3ea4275dc354e81b4dc42a7725c68', 1, '2026-11-28 10:59:53.369964+00', 6, 200, NULL, NULL, 'ok');
INSERT INTO public.webhook_attempts VALUES ('del_1d4fbb2e512cd31f49744d0ca11e7b5c', 1, '2026-11-28 10:59:53.394777+00', 5, 200, NULL, NULL, 'ok');
INSERT INTO public.webhook_attempts VALUES ('del_3e8b35bff4096e4825e7365601ca66be', 1, '2026-11-28 10:59:53.419169+00', 12, 200, NULL, NULL, 'ok');
INSERT INTO public.webhook_attempts VALUES ('del_812e31b0d44a978b9bac3022c6ab7c3e', 1, '2026-11-28 10:59:53.418952+00', 12, 200, NULL, NULL, 'ok');


--
-- Data for Name: webhook_cursors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_cursors VALUES (0, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (2, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (3, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (4, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (5, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (6, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (8, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (9, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (10, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (11, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (12, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (14, 0, 0, 0);
INSERT INTO public.webhook_cursors VALUES (13, 1795863593057, 0, 0);
INSERT INTO public.webhook_cursors VALUES (1, 1795863593256, 0, 0);
INSERT INTO public.webhook_cursors VALUES (7, 1795863593303, 0, 0);
INSERT INTO public.webhook_cursors VALUES (15, 1795863593383, 0, 1);


--
-- Data for Name: webhook_deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_deliveries VALUES ('del_6251ab9913d30437f2f9fc7503408a54', 'evt_29z3vp23gddth9fgef5vtdf6jg0002', 'we_2qamm5zr5mhwe2rdsd83f6bnp9', 'pay_29z3vp23gddth9fgef5vtdf6jg', NULL, 2, 'payment.paid', NULL, 'delivered', 1, 1, NULL, NULL, '2026-11-28 10:59:53.320742+00', '2026-11-28 10:59:53.230732+00', '2026-11-28 10:59:53.320742+00');
INSERT INTO public.webhook_deliveries VALUES ('del_c6b964d9ad94b0fb07726d0c6672837f', 'evt_4ndmnf8gah3wmpqrs8qgvftamp0002', 'we_2qamm5zr5mhwe2rdsd83f6bnp9', 'pay_4ndmnf8gah3wmpqrs8qgvftamp', NULL, 2, 'payment.failed', NULL, 'delivered', 1, 1, NULL, NULL, '2026-11-28 10:59:53.383964+00', '2026-11-28 10:59:53.287805+00', '2026-11-28 10:59:53.383964+00');
INSERT INTO public.webhook_deliveries VALUES ('del_15b3ea4275dc354e81b4dc42a7725c68', 'evt_1ktpbavdxkjkesrq8jyfw7v9jc0002', 'we_2qamm5zr5mhwe2rdsd83f6bnp9', 'pay_1ktpbavdxkjkesrq8jyfw7v9jc', NULL, 2, 'payment.cancelled', NULL, 'delivered', 1, 1, NULL, NULL, '2026-11-28 10:59:53.383964+00', '2026-11-28 10:59:53.32684+00', '2026-11-28 10:59:53.383964+00');
INSERT INTO public.webhook_deliveries VALUES ('del_1d4fbb2e512cd31f49744d0ca11e7b5c', 'evt_5wvhhx8axw96pg3xmn4ns16w4s0002', 'we_2qamm5zr5mhwe2rdsd83f6bnp9', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', NULL, 2, 'payment.paid', NULL, 'delivered', 1, 1, NULL, NULL, '2026-11-28 10:59:53.399777+00', '2026-11-28 10:59:53.37586+00', '2026-11-28 10:59:53.399777+00');
INSERT INTO public.webhook_deliveries VALUES ('del_3e8b35bff4096e4825e7365601ca66be', 'evt_5wvhhx8axw96pg3xmn4ns16w4s0004', 'we_2qamm5zr5mhwe2rdsd83f6bnp9', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', NULL, 4, 'payment.refunded', NULL, 'delivered', 1, 1, NULL, NULL, '2026-11-28 10:59:53.431169+00', '2026-11-28 10:59:53.39018+00', '2026-11-28 10:59:53.431169+00');
INSERT INTO public.webhook_deliveries VALUES ('del_812e31b0d44a978b9bac3022c6ab7c3e', 'evt_5wvhhx8axw96pg3xmn4ns16w4s0006', 'we_2qamm5zr5mhwe2rdsd83f6bnp9', 'pay_5wvhhx8axw96pg3xmn4ns16w4s', NULL, 6, 'payment.refunded', NULL, 'delivered', 1, 1, NULL, NULL, '2026-11-28 10:59:53.437952+00', '2026-11-28 10:59:53.39018+00', '2026-11-28 10:59:53.437952+00');


--
-- Data for Name: webhook_endpoint_failures; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhook_endpoints; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_endpoints VALUES ('we_2qamm5zr5mhwe2rdsd83f6bnp9', 'mer_5ds5t15yg118x411n66sfbbzc8', 'TEST', 'https://localhost:15064/webhooks', '{*}', true, 'v1.8c0cc17a.3qHCgmkzSJfycDqsMxSFIN1sSg_j5oR_2x0UAcLIgmUj6-lvcoBJ_7LWVSt98EWOkdkCszyeRoD1CeCNtrKZ7dhK81XUkdkXXVI_AaYK', NULL, NULL, '2026-11-28 10:59:48.242211+00', NULL);


--
-- Data for Name: webhook_events_set_aside; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhook_replay_parts; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhook_replays; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: audit_log_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.audit_log_id_seq', 16, true);


--
-- Name: notices_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.notices_id_seq', 1, false);


--
-- Name: postgres_timelines_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.postgres_timelines_id_seq', 1, true);


--
-- Name: api_keys api_keys_digest_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_digest_key UNIQUE (digest);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);


--
-- Name: api_logs api_logs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs
    ADD CONSTRAINT api_logs_pkey PRIMARY KEY (request_id, at);


--
-- Name: api_logs_20261127 api_logs_20261127_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs_20261127
    ADD CONSTRAINT api_logs_20261127_pkey PRIMARY KEY (request_id, at);


--
-- Name: api_logs_20261128 api_logs_20261128_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs_20261128
    ADD CONSTRAINT api_logs_20261128_pkey PRIMARY KEY (request_id, at);


--
-- Name: api_logs_20261129 api_logs_20261129_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs_20261129
    ADD CONSTRAINT api_logs_20261129_pkey PRIMARY KEY (request_id, at);


--
-- Name: api_logs_20261130 api_logs_20261130_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs_20261130
    ADD CONSTRAINT api_logs_20261130_pkey PRIMARY KEY (request_id, at);


--
-- Name: api_logs_20261201 api_logs_20261201_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_logs_20261201
    ADD CONSTRAINT api_logs_20261201_pkey PRIMARY KEY (request_id, at);


--
-- Name: approvals approvals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (id);


--
-- Name: audit_heads audit_heads_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (chain, day);


--
-- Name: audit_log audit_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);


--
-- Name: balance_checkpoints balance_checkpoints_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.balance_checkpoints
    ADD CONSTRAINT balance_checkpoints_pkey PRIMARY KEY (account, at);


--
-- Name: balance_rows balance_rows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.balance_rows
    ADD CONSTRAINT balance_rows_pkey PRIMARY KEY (account, shard);


--
-- Name: deferred_commands deferred_commands_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deferred_commands
    ADD CONSTRAINT deferred_commands_pkey PRIMARY KEY (partition, position_ms, position_seq, index);


--
-- Name: erasure_finds erasure_finds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasure_finds
    ADD CONSTRAINT erasure_finds_pkey PRIMARY KEY (request_id, subject_id);


--
-- Name: erasure_requests erasure_requests_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasure_requests
    ADD CONSTRAINT erasure_requests_pkey PRIMARY KEY (id);


--
-- Name: erasure_walks erasure_walks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasure_walks
    ADD CONSTRAINT erasure_walks_pkey PRIMARY KEY (kind, merchant_id, environment);


--
-- Name: erasures erasures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);


--
-- Name: failed_logins failed_logins_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.failed_logins
    ADD CONSTRAINT failed_logins_pkey PRIMARY KEY (account, hour);


--
-- Name: idempotency_claims idempotency_claims_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_claims
    ADD CONSTRAINT idempotency_claims_pkey PRIMARY KEY (merchant_id, environment, kind, key);


--
-- Name: installation installation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (only_row);


--
-- Name: invoice_counters invoice_counters_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_counters
    ADD CONSTRAINT invoice_counters_pkey PRIMARY KEY (merchant_id, environment);


--
-- Name: invoice_payments invoice_payments_payment_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_payments
    ADD CONSTRAINT invoice_payments_payment_id_key UNIQUE (payment_id);


--
-- Name: invoice_payments invoice_payments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_payments
    ADD CONSTRAINT invoice_payments_pkey PRIMARY KEY (invoice_id, attempt);


--
-- Name: invoices invoices_merchant_id_environment_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_merchant_id_environment_number_key UNIQUE (merchant_id, environment, number);


--
-- Name: invoices invoices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_pkey PRIMARY KEY (id);


--
-- Name: kyc_document_parts kyc_document_parts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kyc_document_parts
    ADD CONSTRAINT kyc_document_parts_pkey PRIMARY KEY (id);


--
-- Name: kyc_documents kyc_documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kyc_documents
    ADD CONSTRAINT kyc_documents_pkey PRIMARY KEY (id);


--
-- Name: kyc_submissions kyc_submissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kyc_submissions
    ADD CONSTRAINT kyc_submissions_pkey PRIMARY KEY (id);


--
-- Name: kyc_uploads kyc_uploads_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kyc_uploads
    ADD CONSTRAINT kyc_uploads_pkey PRIMARY KEY (merchant_id);


--
-- Name: mails mails_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (id);


--
-- Name: merchant_logos merchant_logos_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchant_logos
    ADD CONSTRAINT merchant_logos_id_key UNIQUE (id);


--
-- Name: merchant_logos merchant_logos_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchant_logos
    ADD CONSTRAINT merchant_logos_pkey PRIMARY KEY (merchant_id);


--
-- Name: merchant_rail_routes merchant_rail_routes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchant_rail_routes
    ADD CONSTRAINT merchant_rail_routes_pkey PRIMARY KEY (merchant_id, method);


--
-- Name: merchants merchants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchants
    ADD CONSTRAINT merchants_pkey PRIMARY KEY (id);


--
-- Name: notices notices_kind_fact_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_kind_fact_key UNIQUE (kind, fact);


--
-- Name: notices notices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (id);


--
-- Name: one_time_links one_time_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.one_time_links
    ADD CONSTRAINT one_time_links_pkey PRIMARY KEY (digest);


--
-- Name: operator_tasks operator_tasks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.operator_tasks
    ADD CONSTRAINT operator_tasks_pkey PRIMARY KEY (id);


--
-- Name: owner_events owner_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.owner_events
    ADD CONSTRAINT owner_events_pkey PRIMARY KEY (id);


--
-- Name: parked_commands parked_commands_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parked_commands
    ADD CONSTRAINT parked_commands_pkey PRIMARY KEY (partition, position_ms, position_seq, index);


--
-- Name: partitions partitions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.partitions
    ADD CONSTRAINT partitions_pkey PRIMARY KEY (id);


--
-- Name: passkey_challenges passkey_challenges_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_pkey PRIMARY KEY (challenge);


--
-- Name: passkeys passkeys_credential_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id);


--
-- Name: passkeys passkeys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);


--
-- Name: payment_events payment_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_events
    ADD CONSTRAINT payment_events_pkey PRIMARY KEY (partition, position_ms, position_seq, index);


--
-- Name: payment_follower_cursors payment_follower_cursors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_follower_cursors
    ADD CONSTRAINT payment_follower_cursors_pkey PRIMARY KEY (partition);


--
-- Name: payment_link_uses payment_link_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_link_uses
    ADD CONSTRAINT payment_link_uses_pkey PRIMARY KEY (payment_id);


--
-- Name: payment_links payment_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_pkey PRIMARY KEY (id);


--
-- Name: payment_links payment_links_slug_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_slug_key UNIQUE (slug);


--
-- Name: payment_search_cursors payment_search_cursors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_search_cursors
    ADD CONSTRAINT payment_search_cursors_pkey PRIMARY KEY (partition);


--
-- Name: payment_search payment_search_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_search
    ADD CONSTRAINT payment_search_pkey PRIMARY KEY (merchant_id, environment, created_at, payment_id);


--
-- Name: payment_totals_cursors payment_totals_cursors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_totals_cursors
    ADD CONSTRAINT payment_totals_cursors_pkey PRIMARY KEY (partition);


--
-- Name: payment_totals payment_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_totals
    ADD CONSTRAINT payment_totals_pkey PRIMARY KEY (merchant_id, environment, quarter, outcome, currency);


--
-- Name: payments payments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (id);


--
-- Name: payments_processes payments_processes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payments_processes
    ADD CONSTRAINT payments_processes_pkey PRIMARY KEY (name);


--
-- Name: payout_events payout_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payout_events
    ADD CONSTRAINT payout_events_pkey PRIMARY KEY (payout_id, version);


--
-- Name: payouts payouts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payouts
    ADD CONSTRAINT payouts_pkey PRIMARY KEY (id);


--
-- Name: postgres_timelines postgres_timelines_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.postgres_timelines
    ADD CONSTRAINT postgres_timelines_pkey PRIMARY KEY (id);


--
-- Name: postings postings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.postings
    ADD CONSTRAINT postings_pkey PRIMARY KEY (cause_id, version, index);


--
-- Name: rail_bookings rail_bookings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_bookings
    ADD CONSTRAINT rail_bookings_pkey PRIMARY KEY (id);


--
-- Name: rail_bookings rail_bookings_rail_kind_reference_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_bookings
    ADD CONSTRAINT rail_bookings_rail_kind_reference_key UNIQUE (rail, kind, reference);


--
-- Name: rail_callbacks rail_callbacks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_callbacks
    ADD CONSTRAINT rail_callbacks_pkey PRIMARY KEY (rail, dedupe_key);


--
-- Name: rail_calls rail_calls_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_calls
    ADD CONSTRAINT rail_calls_pkey PRIMARY KEY (id);


--
-- Name: rail_differences rail_differences_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_differences
    ADD CONSTRAINT rail_differences_pkey PRIMARY KEY (rail, day, order_id, kind, field, subject);


--
-- Name: rail_facts rail_facts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_facts
    ADD CONSTRAINT rail_facts_pkey PRIMARY KEY (id);


--
-- Name: rail_offers rail_offers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_offers
    ADD CONSTRAINT rail_offers_pkey PRIMARY KEY (rail, method);


--
-- Name: rail_reconciliations rail_reconciliations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_reconciliations
    ADD CONSTRAINT rail_reconciliations_pkey PRIMARY KEY (rail, day);


--
-- Name: rail_sightings rail_sightings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_sightings
    ADD CONSTRAINT rail_sightings_pkey PRIMARY KEY (rail, day, order_id);


--
-- Name: rail_transactions rail_transactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_transactions
    ADD CONSTRAINT rail_transactions_pkey PRIMARY KEY (rail, transaction_id);


--
-- Name: rail_watches rail_watches_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rail_watches
    ADD CONSTRAINT rail_watches_pkey PRIMARY KEY (id);


--
-- Name: recovery_codes recovery_codes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, digest);


--
-- Name: redis_servers redis_servers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.redis_servers
    ADD CONSTRAINT redis_servers_pkey PRIMARY KEY (run_id);


--
-- Name: refunds refunds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (id);


--
-- Name: schema_files schema_files_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_files
    ADD CONSTRAINT schema_files_pkey PRIMARY KEY (name);


--
-- Name: schema_functions schema_functions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_functions
    ADD CONSTRAINT schema_functions_pkey PRIMARY KEY (signature);


--
-- Name: sessions sessions_digest_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_digest_key UNIQUE (digest);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);


--
-- Name: step_up_codes step_up_codes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.step_up_codes
    ADD CONSTRAINT step_up_codes_pkey PRIMARY KEY (digest);


--
-- Name: switches switches_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.switches
    ADD CONSTRAINT switches_pkey PRIMARY KEY (name);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: webhook_attempts webhook_attempts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, attempt);


--
-- Name: webhook_cursors webhook_cursors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_cursors
    ADD CONSTRAINT webhook_cursors_pkey PRIMARY KEY (partition);


--
-- Name: webhook_deliveries webhook_deliveries_event_id_endpoint_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_event_id_endpoint_id_key UNIQUE (event_id, endpoint_id);


--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);


--
-- Name: webhook_endpoint_failures webhook_endpoint_failures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_endpoint_failures
    ADD CONSTRAINT webhook_endpoint_failures_pkey PRIMARY KEY (endpoint_id);


--
-- Name: webhook_endpoints webhook_endpoints_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);


--
-- Name: webhook_events_set_aside webhook_events_set_aside_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_events_set_aside
    ADD CONSTRAINT webhook_events_set_aside_pkey PRIMARY KEY (payment_id, version);


--
-- Name: webhook_replay_parts webhook_replay_parts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_replay_parts
    ADD CONSTRAINT webhook_replay_parts_pkey PRIMARY KEY (replay_id, endpoint_id);


--
-- Name: webhook_replays webhook_replays_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_replays
    ADD CONSTRAINT webhook_replays_pkey PRIMARY KEY (id);


--
-- Name: api_keys_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_keys_by_merchant ON public.api_keys USING btree (merchant_id, created_at, id);


--
-- Name: api_logs_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_by_merchant ON ONLY public.api_logs USING btree (merchant_id, at, request_id);


--
-- Name: api_logs_20261127_merchant_id_at_request_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261127_merchant_id_at_request_id_idx ON public.api_logs_20261127 USING btree (merchant_id, at, request_id);


--
-- Name: api_logs_by_payment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_by_payment ON ONLY public.api_logs USING btree (payment_id) WHERE (payment_id IS NOT NULL);


--
-- Name: api_logs_20261127_payment_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261127_payment_id_idx ON public.api_logs_20261127 USING btree (payment_id) WHERE (payment_id IS NOT NULL);


--
-- Name: api_logs_20261128_merchant_id_at_request_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261128_merchant_id_at_request_id_idx ON public.api_logs_20261128 USING btree (merchant_id, at, request_id);


--
-- Name: api_logs_20261128_payment_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261128_payment_id_idx ON public.api_logs_20261128 USING btree (payment_id) WHERE (payment_id IS NOT NULL);


--
-- Name: api_logs_20261129_merchant_id_at_request_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261129_merchant_id_at_request_id_idx ON public.api_logs_20261129 USING btree (merchant_id, at, request_id);


--
-- Name: api_logs_20261129_payment_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261129_payment_id_idx ON public.api_logs_20261129 USING btree (payment_id) WHERE (payment_id IS NOT NULL);


--
-- Name: api_logs_20261130_merchant_id_at_request_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261130_merchant_id_at_request_id_idx ON public.api_logs_20261130 USING btree (merchant_id, at, request_id);


--
-- Name: api_logs_20261130_payment_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261130_payment_id_idx ON public.api_logs_20261130 USING btree (payment_id) WHERE (payment_id IS NOT NULL);


--
-- Name: api_logs_20261201_merchant_id_at_request_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261201_merchant_id_at_request_id_idx ON public.api_logs_20261201 USING btree (merchant_id, at, request_id);


--
-- Name: api_logs_20261201_payment_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_logs_20261201_payment_id_idx ON public.api_logs_20261201 USING btree (payment_id) WHERE (payment_id IS NOT NULL);


--
-- Name: approvals_by_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX approvals_by_reference ON public.approvals USING btree (kind, reference) WHERE (status <> ALL (ARRAY['refused'::text, 'rejected'::text]));


--
-- Name: approvals_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX approvals_by_subject ON public.approvals USING btree (COALESCE(refund_id, payout_id, task_id)) WHERE ((status = ANY (ARRAY['proposed'::text, 'approved'::text])) AND (COALESCE(refund_id, payout_id, task_id) IS NOT NULL));


--
-- Name: approvals_by_task; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_by_task ON public.approvals USING btree (task_id) WHERE (task_id IS NOT NULL);


--
-- Name: approvals_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_by_time ON public.approvals USING btree (proposed_at, id);


--
-- Name: approvals_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_waiting ON public.approvals USING btree (status, proposed_at, id) WHERE (status = ANY (ARRAY['proposed'::text, 'approved'::text]));


--
-- Name: audit_log_by_actor; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (actor, id);


--
-- Name: audit_log_by_place; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX audit_log_by_place ON public.audit_log USING btree (chain, number) WHERE (number IS NOT NULL);


--
-- Name: audit_log_by_target; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_log_by_target ON public.audit_log USING btree (target, id);


--
-- Name: audit_log_unlinked; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_log_unlinked ON public.audit_log USING btree (transaction) WHERE (number IS NULL);


--
-- Name: erasure_requests_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erasure_requests_by_merchant ON public.erasure_requests USING btree (merchant_id, created_at, id);


--
-- Name: erasure_requests_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erasure_requests_open ON public.erasure_requests USING btree (created_at) WHERE (completed_at IS NULL);


--
-- Name: erasure_requests_to_search; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erasure_requests_to_search ON public.erasure_requests USING btree ((((environment || ' '::text) || merchant_id)), look_at) WHERE (looked_through_at IS NULL);


--
-- Name: erasures_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erasures_due ON public.erasures USING btree ((((environment || ' '::text) || merchant_id)), look_at) WHERE (swept_at IS NULL);


--
-- Name: invoices_by_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_by_customer ON public.invoices USING btree (merchant_id, lower(customer_email)) WHERE (customer_email IS NOT NULL);


--
-- Name: invoices_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_by_merchant ON public.invoices USING btree (merchant_id, created_at, id);


--
-- Name: kyc_document_parts_by_document; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX kyc_document_parts_by_document ON public.kyc_document_parts USING btree (document_id, id);


--
-- Name: kyc_document_parts_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX kyc_document_parts_by_merchant ON public.kyc_document_parts USING btree (merchant_id);


--
-- Name: kyc_documents_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX kyc_documents_by_merchant ON public.kyc_documents USING btree (merchant_id, created_at, id);


--
-- Name: kyc_submissions_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX kyc_submissions_by_merchant ON public.kyc_submissions USING btree (merchant_id, submitted_at, id);


--
-- Name: mails_by_invoice; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mails_by_invoice ON public.mails USING btree (invoice_id) WHERE (invoice_id IS NOT NULL);


--
-- Name: mails_by_mailbox; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mails_by_mailbox ON public.mails USING btree (mailbox, budget, created_at);


--
-- Name: mails_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mails_by_merchant ON public.mails USING btree (merchant_id, budget, created_at) WHERE (merchant_id IS NOT NULL);


--
-- Name: mails_by_payment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mails_by_payment ON public.mails USING btree (payment_id) WHERE (payment_id IS NOT NULL);


--
-- Name: mails_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mails_by_time ON public.mails USING btree (created_at);


--
-- Name: mails_unsent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX mails_unsent ON public.mails USING btree ((((budget || ' '::text) || COALESCE(merchant_id, ''::text))), next_attempt_at) WHERE ((sent_at IS NULL) AND (attempts < 8));


--
-- Name: notices_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notices_by_time ON public.notices USING btree (at);


--
-- Name: notices_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notices_waiting ON public.notices USING btree (merchant_id, next_at) WHERE (ended_at IS NULL);


--
-- Name: one_time_links_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX one_time_links_by_expiry ON public.one_time_links USING btree (expires_at);


--
-- Name: one_time_links_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX one_time_links_by_user ON public.one_time_links USING btree (user_id);


--
-- Name: operator_tasks_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX operator_tasks_by_merchant ON public.operator_tasks USING btree (merchant_id, kind) WHERE (merchant_id IS NOT NULL);


--
-- Name: operator_tasks_by_payment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX operator_tasks_by_payment ON public.operator_tasks USING btree (payment_id);


--
-- Name: operator_tasks_by_payout; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX operator_tasks_by_payout ON public.operator_tasks USING btree (payout_id) WHERE (payout_id IS NOT NULL);


--
-- Name: operator_tasks_by_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX operator_tasks_by_status ON public.operator_tasks USING btree (environment, status, opened_at, id);


--
-- Name: owner_events_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX owner_events_by_merchant ON public.owner_events USING btree (merchant_id, environment, at, id);


--
-- Name: passkey_challenges_by_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX passkey_challenges_by_session ON public.passkey_challenges USING btree (session_id);


--
-- Name: passkey_challenges_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX passkey_challenges_by_user ON public.passkey_challenges USING btree (user_id, expires_at);


--
-- Name: passkeys_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX passkeys_by_user ON public.passkeys USING btree (user_id, created_at, id);


--
-- Name: payment_events_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_events_by_merchant ON public.payment_events USING btree (merchant_id, environment, at, payment_id, version) WHERE (envelope IS NOT NULL);


--
-- Name: payment_events_outbox; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_events_outbox ON public.payment_events USING btree (partition, position_ms, position_seq, index) WHERE (envelope IS NOT NULL);


--
-- Name: payment_events_with_envelope; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX payment_events_with_envelope ON public.payment_events USING btree (payment_id, version) WHERE (envelope IS NOT NULL);


--
-- Name: payment_link_uses_claimed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_link_uses_claimed ON public.payment_link_uses USING btree (claimed_at) WHERE (state = 'claimed'::text);


--
-- Name: payment_links_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_links_by_merchant ON public.payment_links USING btree (merchant_id, created_at, id);


--
-- Name: payment_search_terms; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_search_terms ON public.payment_search USING gin (terms) WITH (gin_pending_list_limit='512');


--
-- Name: payments_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_by_merchant ON public.payments USING btree (merchant_id, environment, created_at, id);


--
-- Name: payments_by_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_by_reference ON public.payments USING btree (reference_id, merchant_id) WHERE (reference_id IS NOT NULL);


--
-- Name: payments_by_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_by_status ON public.payments USING btree (merchant_id, environment, status, created_at, id) WHERE (status = ANY (ARRAY['paid'::text, 'failed'::text, 'cancelled'::text, 'refunded'::text]));


--
-- Name: payments_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payments_due ON public.payments USING btree ((((environment || ' '::text) || merchant_id)), due_at) WHERE (due_at IS NOT NULL);


--
-- Name: payout_events_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payout_events_by_merchant ON public.payout_events USING btree (merchant_id, environment, at, payout_id, version) WHERE (envelope IS NOT NULL);


--
-- Name: payouts_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_by_merchant ON public.payouts USING btree (merchant_id, environment, created_at, id);


--
-- Name: payouts_by_sending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_by_sending ON public.payouts USING btree (rail, sent_at) WHERE (rail <> 'sandbox'::text);


--
-- Name: payouts_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_by_time ON public.payouts USING btree (created_at, id);


--
-- Name: payouts_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_open ON public.payouts USING btree (status) WHERE (status = ANY (ARRAY['PROCESSING'::text, 'MANUAL_REQUIRED'::text]));


--
-- Name: payouts_to_inquire; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_to_inquire ON public.payouts USING btree ((((environment || ' '::text) || merchant_id)), due_at) WHERE ((status <> 'PENDING'::text) AND (due_at IS NOT NULL));


--
-- Name: payouts_to_send; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payouts_to_send ON public.payouts USING btree ((((environment || ' '::text) || merchant_id)), due_at) WHERE ((status = 'PENDING'::text) AND (due_at IS NOT NULL));


--
-- Name: postings_by_credit; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX postings_by_credit ON public.postings USING btree (credit, at) WHERE (credit !~~ 'rail\_clearing:%'::text);


--
-- Name: postings_by_debit; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX postings_by_debit ON public.postings USING btree (debit, at) WHERE (debit !~~ 'rail\_clearing:%'::text);


--
-- Name: rail_callbacks_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_callbacks_by_age ON public.rail_callbacks USING btree (received_at);


--
-- Name: rail_callbacks_by_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_callbacks_by_order ON public.rail_callbacks USING btree (subject_id) WHERE (subject_kind = 'order'::text);


--
-- Name: rail_callbacks_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_callbacks_by_subject ON public.rail_callbacks USING btree (subject_id) WHERE (subject_id IS NOT NULL);


--
-- Name: rail_callbacks_to_judge; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_callbacks_to_judge ON public.rail_callbacks USING btree (judge_at) WHERE (judge_at IS NOT NULL);


--
-- Name: rail_calls_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_calls_by_expiry ON public.rail_calls USING btree (rail, ((((request)::json ->> 'expiresAtMs'::text))::bigint)) WHERE (operation = 'charge'::text);


--
-- Name: rail_calls_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_calls_due ON public.rail_calls USING btree (rail, operation, merchant_id, due_at) WHERE (state = 'due'::text);


--
-- Name: rail_calls_refunded; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_calls_refunded ON public.rail_calls USING btree (rail, answered_at) WHERE ((operation = 'refund'::text) AND (state = 'answered'::text));


--
-- Name: rail_calls_refunds; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_calls_refunds ON public.rail_calls USING btree (requested_at) WHERE ((operation = 'refund'::text) AND (state <> 'answered'::text));


--
-- Name: rail_calls_sent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_calls_sent ON public.rail_calls USING btree (payment_id) WHERE (state = 'sent'::text);


--
-- Name: rail_calls_unknown; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_calls_unknown ON public.rail_calls USING btree (rail) WHERE ((state = 'sent'::text) AND (unknown_at IS NOT NULL));


--
-- Name: rail_facts_stored; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_facts_stored ON public.rail_facts USING btree (stored_at);


--
-- Name: rail_transactions_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_transactions_by_time ON public.rail_transactions USING btree (rail, booked_at) WHERE (rail <> 'sandbox'::text);


--
-- Name: rail_watches_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rail_watches_due ON public.rail_watches USING btree (rail, merchant_id, look_at) WHERE (look_at IS NOT NULL);


--
-- Name: refunds_by_hand; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refunds_by_hand ON public.refunds USING btree (merchant_id, environment) WHERE (status = 'manual_required'::text);


--
-- Name: refunds_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refunds_by_merchant ON public.refunds USING btree (merchant_id, environment, created_at, id);


--
-- Name: refunds_by_payment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refunds_by_payment ON public.refunds USING btree (payment_id);


--
-- Name: refunds_by_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refunds_by_status ON public.refunds USING btree (status, created_at, id);


--
-- Name: sessions_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id, created_at, id);


--
-- Name: step_up_codes_by_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX step_up_codes_by_session ON public.step_up_codes USING btree (session_id);


--
-- Name: users_by_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_by_email ON public.users USING btree (email, created_at, id);


--
-- Name: users_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_by_merchant ON public.users USING btree (merchant_id, created_at, id);


--
-- Name: users_by_verified_email; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX users_by_verified_email ON public.users USING btree (email) WHERE (verified_at IS NOT NULL);


--
-- Name: users_of_merchant_by_email; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX users_of_merchant_by_email ON public.users USING btree (merchant_id, email);


--
-- Name: webhook_deliveries_by_endpoint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_by_endpoint ON public.webhook_deliveries USING btree (endpoint_id, created_at, id);


--
-- Name: webhook_deliveries_dead; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_dead ON public.webhook_deliveries USING btree (settled_at, id) WHERE (status = 'dead'::text);


--
-- Name: webhook_deliveries_dead_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_dead_of ON public.webhook_deliveries USING btree (endpoint_id, settled_at, id) WHERE (status = 'dead'::text);


--
-- Name: webhook_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (next_attempt_at, id) WHERE ((status = 'pending'::text) AND (next_attempt_at > '-infinity'::timestamp with time zone));


--
-- Name: webhook_deliveries_replayed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_replayed ON public.webhook_deliveries USING btree (replay_id, endpoint_id) WHERE ((status = 'pending'::text) AND (step = 0) AND (replay_id IS NOT NULL));


--
-- Name: webhook_deliveries_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_deliveries_waiting ON public.webhook_deliveries USING btree (endpoint_id, next_attempt_at, id) WHERE (status = 'pending'::text);


--
-- Name: webhook_endpoints_by_merchant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_endpoints_by_merchant ON public.webhook_endpoints USING btree (merchant_id, environment, created_at);


--
-- Name: webhook_replay_parts_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_replay_parts_open ON public.webhook_replay_parts USING btree (touched_at) WHERE (completed_at IS NULL);


--
-- Name: webhook_replays_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_replays_by_time ON public.webhook_replays USING btree (created_at);


--
-- Name: webhook_replays_running; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX webhook_replays_running ON public.webhook_replays USING btree (COALESCE(merchant_id, ''::text)) WHERE (completed_at IS NULL);


--
-- Name: api_logs_20261127_merchant_id_at_request_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_merchant ATTACH PARTITION public.api_logs_20261127_merchant_id_at_request_id_idx;


--
-- Name: api_logs_20261127_payment_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_payment ATTACH PARTITION public.api_logs_20261127_payment_id_idx;


--
-- Name: api_logs_20261127_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_pkey ATTACH PARTITION public.api_logs_20261127_pkey;


--
-- Name: api_logs_20261128_merchant_id_at_request_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_merchant ATTACH PARTITION public.api_logs_20261128_merchant_id_at_request_id_idx;


--
-- Name: api_logs_20261128_payment_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_payment ATTACH PARTITION public.api_logs_20261128_payment_id_idx;


--
-- Name: api_logs_20261128_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_pkey ATTACH PARTITION public.api_logs_20261128_pkey;


--
-- Name: api_logs_20261129_merchant_id_at_request_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_merchant ATTACH PARTITION public.api_logs_20261129_merchant_id_at_request_id_idx;


--
-- Name: api_logs_20261129_payment_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_payment ATTACH PARTITION public.api_logs_20261129_payment_id_idx;


--
-- Name: api_logs_20261129_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_pkey ATTACH PARTITION public.api_logs_20261129_pkey;


--
-- Name: api_logs_20261130_merchant_id_at_request_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_merchant ATTACH PARTITION public.api_logs_20261130_merchant_id_at_request_id_idx;


--
-- Name: api_logs_20261130_payment_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_payment ATTACH PARTITION public.api_logs_20261130_payment_id_idx;


--
-- Name: api_logs_20261130_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_pkey ATTACH PARTITION public.api_logs_20261130_pkey;


--
-- Name: api_logs_20261201_merchant_id_at_request_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_merchant ATTACH PARTITION public.api_logs_20261201_merchant_id_at_request_id_idx;


--
-- Name: api_logs_20261201_payment_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_by_payment ATTACH PARTITION public.api_logs_20261201_payment_id_idx;


--
-- Name: api_logs_20261201_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.api_logs_pkey ATTACH PARTITION public.api_logs_20261201_pkey;


--
-- Name: api_keys api_keys_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER api_keys_audit AFTER INSERT OR DELETE OR UPDATE OF id, merchant_id, environment, prefix, last_four, digest, scopes, allowed_addresses, revoked_at ON public.api_keys FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'merchant_id', 'environment', 'prefix', 'last_four', '#digest', 'scopes', 'allowed_addresses', 'revoked_at');


--
-- Name: approvals approvals_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER approvals_audit AFTER INSERT OR DELETE OR UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'kind', 'status', 'merchant_id', 'payment_id', 'refund_id', 'payout_id', 'task_id', 'amount', 'reference', 'request', 'reason', 'proposed_by', 'decided_by', 'decision_reason', 'outcome_code', 'outcome_message');


--
-- Name: audit_heads audit_heads_are_kept; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_heads_are_kept BEFORE DELETE ON public.audit_heads FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: audit_heads audit_heads_are_not_emptied; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_heads_are_not_emptied BEFORE TRUNCATE ON public.audit_heads FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: audit_log audit_log_is_digested; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_log_is_digested BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.digest_audit_row();


--
-- Name: audit_log audit_log_is_kept; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_log_is_kept BEFORE UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.keep_audit_row();


--
-- Name: audit_log audit_log_is_linked; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER audit_log_is_linked AFTER INSERT ON public.audit_log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.link_audit_rows();


--
-- Name: audit_log audit_log_is_not_deleted; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_log_is_not_deleted BEFORE DELETE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: audit_log audit_log_is_not_emptied; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();


--
-- Name: erasure_requests erasure_requests_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER erasure_requests_audit AFTER INSERT ON public.erasure_requests FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'merchant_id', 'environment', 'field', 'with_reference');


--
-- Name: webhook_deliveries forget_attempts; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER forget_attempts AFTER DELETE ON public.webhook_deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.forget_attempts();


--
-- Name: installation installation_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER installation_audit AFTER INSERT OR DELETE OR UPDATE ON public.installation FOR EACH ROW EXECUTE FUNCTION public.audit_change('only_row', 'partitions', '#id_key_fingerprint');


--
-- Name: invoices invoices_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER invoices_audit AFTER INSERT OR UPDATE ON public.invoices FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'merchant_id', 'environment', 'status', 'number', 'total', 'payment_id', 'sent_at', 'reminded_at');


--
-- Name: kyc_submissions kyc_submissions_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER kyc_submissions_audit AFTER INSERT OR DELETE OR UPDATE ON public.kyc_submissions FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'merchant_id', '#fields', 'document_ids', 'submitted_by', 'status', 'reason', 'field_reasons');


--
-- Name: mails mails_limited; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER mails_limited BEFORE INSERT ON public.mails FOR EACH ROW EXECUTE FUNCTION public.limit_mail();


--
-- Name: merchant_logos merchant_logos_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER merchant_logos_audit AFTER INSERT OR DELETE OR UPDATE ON public.merchant_logos FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'merchant_id', 'id', '#content');


--
-- Name: merchant_rail_routes merchant_rail_routes_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER merchant_rail_routes_audit AFTER INSERT OR DELETE OR UPDATE ON public.merchant_rail_routes FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'rails');


--
-- Name: merchants merchants_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER merchants_audit AFTER INSERT OR DELETE OR UPDATE ON public.merchants FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'business_name', 'verification_status', 'live_enabled', 'display_name', 'brand_colour', '~support_email', '~support_phone', 'support_url', 'notices', 'sends_receipts');


--
-- Name: one_time_links one_time_links_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER one_time_links_audit AFTER INSERT OR UPDATE ON public.one_time_links FOR EACH ROW EXECUTE FUNCTION public.audit_change('user_id', '#digest', 'purpose', 'expires_at', 'used_at');


--
-- Name: operator_tasks operator_tasks_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER operator_tasks_audit AFTER DELETE OR UPDATE ON public.operator_tasks FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'status', 'action', 'note', 'external_reference', 'target_merchant', 'target_payment');


--
-- Name: operator_tasks operator_tasks_owner; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER operator_tasks_owner BEFORE INSERT ON public.operator_tasks FOR EACH ROW EXECUTE FUNCTION public.name_task_owner();


--
-- Name: passkeys passkeys_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER passkeys_audit AFTER INSERT OR DELETE OR UPDATE OF id, user_id, name, credential_id, public_key ON public.passkeys FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'user_id', 'name', 'credential_id', 'public_key');


--
-- Name: payment_links payment_links_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payment_links_audit AFTER INSERT OR UPDATE OF id, merchant_id, environment, title, description, amount, min_amount, max_amount, max_uses, active, expires_at, success_url ON public.payment_links FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'merchant_id', 'environment', 'title', 'description', 'amount', 'min_amount', 'max_amount', 'max_uses', 'active', 'expires_at', 'success_url');


--
-- Name: payouts payouts_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER payouts_audit AFTER UPDATE ON public.payouts FOR EACH ROW WHEN (((old.external_reference IS DISTINCT FROM new.external_reference) OR (old.reversal_reference IS DISTINCT FROM new.reversal_reference) OR (old.corrected_at IS DISTINCT FROM new.corrected_at) OR ((old.status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'MANUAL_REQUIRED'::text])) AND (((((((old.merchant_id IS DISTINCT FROM new.merchant_id) OR (old.environment IS DISTINCT FROM new.environment)) OR (old.amount IS DISTINCT FROM new.amount)) OR (old.currency IS DISTINCT FROM new.currency)) OR (old.bank_code IS DISTINCT FROM new.bank_code)) OR (old.account_number IS DISTINCT FROM new.account_number)) OR (old.account_holder IS DISTINCT FROM new.account_holder))))) EXECUTE FUNCTION public.audit_change('id', 'status', 'external_reference', 'reversal_reference', 'corrected_at', 'merchant_id', 'environment', 'amount', 'currency', 'bank_code', '#account_number', '#account_holder');


--
-- Name: rail_bookings rail_bookings_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER rail_bookings_audit AFTER INSERT OR DELETE OR UPDATE ON public.rail_bookings FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'kind', 'rail', 'amount', 'reference', 'note');


--
-- Name: recovery_codes recovery_codes_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER recovery_codes_audit AFTER INSERT OR DELETE OR UPDATE ON public.recovery_codes FOR EACH ROW EXECUTE FUNCTION public.audit_change('user_id', '#digest');


--
-- Name: sessions sessions_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER sessions_audit AFTER INSERT OR UPDATE OF id, user_id, digest, expires_at, ended_at ON public.sessions FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'user_id', '#digest', 'expires_at', 'ended_at');


--
-- Name: switches switches_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER switches_audit AFTER INSERT OR DELETE OR UPDATE ON public.switches FOR EACH ROW EXECUTE FUNCTION public.audit_change('name', 'is_on');


--
-- Name: users users_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER users_audit AFTER INSERT OR DELETE OR UPDATE ON public.users FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', '~email', 'merchant_id', 'role', '#password_hash', 'verified_at', '#totp_secret', 'totp_confirmed_at', 'disabled_at');


--
-- Name: webhook_endpoints webhook_endpoints_audit; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER webhook_endpoints_audit AFTER INSERT OR DELETE OR UPDATE ON public.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION public.audit_change('id', 'merchant_id', 'environment', 'url', 'events', 'active', '#secret', '#next_secret', 'switch_at', 'deleted_at');


--
-- Name: api_keys api_keys_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: erasure_finds erasure_finds_request_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasure_finds
    ADD CONSTRAINT erasure_finds_request_id_fkey FOREIGN KEY (request_id) REFERENCES public.erasure_requests(id);


--
-- Name: erasure_finds erasure_finds_subject_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasure_finds
    ADD CONSTRAINT erasure_finds_subject_id_fkey FOREIGN KEY (subject_id) REFERENCES public.erasures(id);


--
-- Name: erasure_requests erasure_requests_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasure_requests
    ADD CONSTRAINT erasure_requests_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: erasure_walks erasure_walks_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasure_walks
    ADD CONSTRAINT erasure_walks_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: invoice_counters invoice_counters_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_counters
    ADD CONSTRAINT invoice_counters_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: invoice_payments invoice_payments_invoice_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_payments
    ADD CONSTRAINT invoice_payments_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES public.invoices(id);


--
-- Name: invoices invoices_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: kyc_document_parts kyc_document_parts_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kyc_document_parts
    ADD CONSTRAINT kyc_document_parts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: kyc_documents kyc_documents_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kyc_documents
    ADD CONSTRAINT kyc_documents_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: kyc_submissions kyc_submissions_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kyc_submissions
    ADD CONSTRAINT kyc_submissions_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: kyc_uploads kyc_uploads_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kyc_uploads
    ADD CONSTRAINT kyc_uploads_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: merchant_logos merchant_logos_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchant_logos
    ADD CONSTRAINT merchant_logos_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: merchant_rail_routes merchant_rail_routes_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merchant_rail_routes
    ADD CONSTRAINT merchant_rail_routes_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: one_time_links one_time_links_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.one_time_links
    ADD CONSTRAINT one_time_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: owner_events owner_events_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.owner_events
    ADD CONSTRAINT owner_events_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: passkey_challenges passkey_challenges_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;


--
-- Name: passkey_challenges passkey_challenges_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: passkeys passkeys_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: payment_link_uses payment_link_uses_link_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_link_uses
    ADD CONSTRAINT payment_link_uses_link_id_fkey FOREIGN KEY (link_id) REFERENCES public.payment_links(id);


--
-- Name: payment_links payment_links_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: recovery_codes recovery_codes_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: sessions sessions_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: step_up_codes step_up_codes_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.step_up_codes
    ADD CONSTRAINT step_up_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;


--
-- Name: users users_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: webhook_endpoint_failures webhook_endpoint_failures_endpoint_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_endpoint_failures
    ADD CONSTRAINT webhook_endpoint_failures_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(id) ON DELETE CASCADE;


--
-- Name: webhook_endpoints webhook_endpoints_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- Name: webhook_replay_parts webhook_replay_parts_endpoint_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_replay_parts
    ADD CONSTRAINT webhook_replay_parts_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(id) ON DELETE CASCADE;


--
-- Name: webhook_replay_parts webhook_replay_parts_replay_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_replay_parts
    ADD CONSTRAINT webhook_replay_parts_replay_id_fkey FOREIGN KEY (replay_id) REFERENCES public.webhook_replays(id) ON DELETE CASCADE;


--
-- Name: webhook_replays webhook_replays_merchant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_replays
    ADD CONSTRAINT webhook_replays_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES public.merchants(id);


--
-- PostgreSQL database dump complete
--

\unrestrict APWH9IU67unLIA1rviLth1DXT41ntVRuGmtnEPkU2eWBaN7VGxxvWeiQM76koqD

