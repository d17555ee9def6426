-- Ends of refunds by hand that one administrator has decided. Above APPROVAL_LIMIT an approval is stored instead. The payments
-- process ends a LIVE refund by hand only with a row of either (docs/decisions/0033-signed-commands.md). An end that the state
-- of its refund has refused is withdrawn: its row is deleted.
create table refund_ends (
  type               text collate "C" not null check (type in ('complete_refund', 'fail_refund')),
  payment_id         text collate "C" not null,
  refund_id          text collate "C" not null,
  external_reference text not null,
  merchant_id        text collate "C" not null,
  environment        text collate "C" not null check (environment in ('TEST', 'LIVE')),
  amount             bigint not null check (amount > 0),
  decided_by         text collate "C" not null,
  decided_at         timestamptz not null default date_trunc('milliseconds', now()),
  primary key (refund_id, type, external_reference)
);
create trigger refund_ends_audit after insert or update or delete on refund_ends for each row
  execute function audit_change('refund_id', 'type', 'payment_id', 'external_reference', 'merchant_id', 'environment',
                                'amount', 'decided_by');
