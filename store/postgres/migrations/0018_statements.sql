-- Postings of a merchant's account by time, for statements. What stands against them on the rails' side is in no
-- statement, so a settlement pays for one entry.
create index postings_by_credit on postings (credit, at)
  where credit not like 'rail\_clearing:%';
create index postings_by_debit on postings (debit, at)
  where debit not like 'rail\_clearing:%';
