-- A person's data: links to downloads of it, requests to erase it, and what an erasure leaves of the audit trail.

alter table account
  add column erasure_asked_at timestamptz,
  add column erased_at timestamptz,
  add constraint account_erased check (
    erased_at is null
    or num_nonnulls(username, email, password_hash, blocked_reason, erasure_asked_at) = 0 and blocked_at is not null);
comment on column account.erasure_asked_at is 'When the customer asked to have their data erased; null: they did not, or took it back.';
comment on column account.erased_at is
  'When the data of the person was erased. What the books have to keep stays under the number of the account, which is blocked for ever.';

create index account_erasure_asked on account (erasure_asked_at) where erasure_asked_at is not null;

alter table account_token drop constraint account_token_kind_check;
alter table account_token add check (kind in ('confirm_email', 'reset_password', 'download_data'));
comment on table account_token is
  'The token in the link of a letter, which proves access to the mailbox, or of a download of one''s data. It is used once; the '
  'token itself is not stored.';

alter table audit_entry add column redacted_at timestamptz;
comment on column audit_entry.redacted_at is
  'When the data of the person whom it concerns was erased: who did what to which account and when stays, the snapshots and the reason do not.';

drop trigger append_only on audit_entry;
create trigger append_only before delete or truncate on audit_entry
  for each statement execute function audit_refuse();

create function audit_redact_only() returns trigger language plpgsql as $$
begin
  if old.redacted_at is null and new.redacted_at is not null
    and new.before is null and new.reason is null and (new.after is null or new.after = old.after)
    and to_jsonb(new) - '{before,after,reason,redacted_at}'::text[]
      = to_jsonb(old) - '{before,after,reason,redacted_at}'::text[] then
    return new;
  end if;
  raise exception 'the audit trail is append-only: % is refused', tg_op using errcode = 'restrict_violation';
end $$;
comment on function audit_redact_only() is
  'Refuses every change but one: the snapshots and the reason of an entry are removed, once, and the entry tells when.';

create trigger redact_only before update on audit_entry for each row execute function audit_redact_only();

-- The notifications about an invoice.
create index webhook_event_invoice on webhook_event (invoice_number) where invoice_number is not null;
