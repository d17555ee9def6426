-- The rights of the processes and of readers, table by table. The role kasir_migration runs it in one transaction after each
-- `kasir migrate` (docs/operations/roles.md). It may be repeated while processes run.
revoke all on all tables in schema public from public, kasir_process, kasir_reading;
revoke all on all functions in schema public from kasir_reading;
grant execute on all functions in schema public to kasir_process;

grant select, insert, update on all tables in schema public to kasir_process;
-- Only kasir migrate writes them.
revoke insert, update on schema_files, schema_functions from kasir_process;
-- A posting is never changed.
revoke update on postings from kasir_process;
-- The tables from which a statement of the service deletes. Nothing of the ledger and of the audit log is among them.
grant delete on
  deferred_commands, failed_logins, kyc_document_parts, kyc_uploads, mails, merchant_logos, merchant_rail_routes, notices,
  one_time_links, passkey_challenges, passkeys, payments_processes, quarantined_commands, rail_callbacks, rail_differences,
  rail_facts, rail_sightings,
  recovery_codes, refund_ends, sessions, step_up_codes, users, webhook_attempts, webhook_deliveries,
  webhook_endpoint_failures, webhook_endpoints, webhook_events_set_aside, webhook_replays
  to kasir_process;

grant select on all tables in schema public to kasir_reading;
-- Passwords, second factors, digests of credentials, sealed secrets, documents, and mails with their links.
revoke select on
  api_keys, kyc_document_parts, kyc_documents, kyc_submissions, mails, one_time_links, passkey_challenges, recovery_codes, sessions,
  step_up_codes, users, webhook_endpoints
  from kasir_reading;
