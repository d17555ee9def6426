-- Documents in parts. A document of 8 MiB in one row was 8 MiB of log before the next commit: payments beside it waited 300 ms
-- (docs/decisions/0045-threads-of-the-idle-class.md). A part is written while the reservation of its upload is valid, and
-- belongs to a document once that has its row. Parts without a document are deleted with the reservation.
create table kyc_document_parts (
  -- the document's id and the part's number, in order
  id          text collate "C" primary key,
  document_id text collate "C" not null,
  merchant_id text collate "C" not null references merchants,
  content     bytea not null
);
alter table kyc_document_parts alter column content set storage external;
create index kyc_document_parts_by_document on kyc_document_parts (document_id, id);
create index kyc_document_parts_by_merchant on kyc_document_parts (merchant_id);
-- null: the content is in parts, as for every document since this file
alter table kyc_documents alter column content drop not null;
