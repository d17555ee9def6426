-- Approvals of corrections of a merchant's balance.

-- Makes the correction of an approved approval, once: its posting and its status are one statement. An approval that
-- is not approved is left as it is. With `is_limited_` the debited account may not fall below zero: the approval is
-- then refused.
--
-- Locks: the approval, then both balances in the order of their accounts, as post does.
create or replace function apply_balance_correction(
  id_ text, debit_ text, credit_ text, reason_ text, is_limited_ boolean
) returns void language plpgsql as $$
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
