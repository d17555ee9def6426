-- When an invoice was last mailed to its customer, and when a reminder of it was. One mail that is asked for twice is sent
-- once (mail_invoice). Invoices that were mailed before this schema have no time.
alter table invoices add column sent_at timestamptz;
alter table invoices add column reminded_at timestamptz;

-- A mail in the merchant's name is recorded, since its sender must be known.
drop trigger invoices_audit on invoices;
create trigger invoices_audit after insert or update on invoices for each row
  execute function audit_change('id', 'merchant_id', 'environment', 'status', 'number', 'total', 'payment_id',
                                'sent_at', 'reminded_at');
