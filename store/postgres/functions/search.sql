-- The words by which payments are found. New payments get theirs from payments/follow-search.ts.

-- Replaces the words of a payment whose customer was erased. The loop that adds words may not have reached it yet.
create or replace function replace_search_terms(payment text, words text[]) returns void language sql as $$
  insert into payment_search (merchant_id, environment, created_at, payment_id, terms)
  select p.merchant_id, p.environment, p.created_at, p.id, array_to_tsvector(words)
    from payments p where p.id = payment
  on conflict (merchant_id, environment, created_at, payment_id) do update set terms = excluded.terms
$$;
