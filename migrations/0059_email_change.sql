-- A customer's new e-mail address, which counts from its confirmation on, and the way back to the old one.

create table email_change (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  new_email text not null,
  new_email_key text not null,
  confirm_sha256 bytea unique check (length(confirm_sha256) = 32),
  asked_at timestamptz not null,
  confirm_by timestamptz not null,
  confirmed_at timestamptz,
  old_email text,
  old_email_key text,
  undo_sha256 bytea unique check (length(undo_sha256) = 32),
  undo_by timestamptz
);
comment on table email_change is 'A change of an account''s e-mail address: asked for, or made while it can still be undone.';
comment on column email_change.confirm_sha256 is
  'SHA-256 of the token in the letter to the new address; null: no letter was sent yet, or the address belongs to another account.';
comment on column email_change.old_email is 'The confirmed address before the change; null: there was none.';
comment on column email_change.undo_sha256 is 'SHA-256 of the token in the letter to the old address.';

create unique index email_change_pending on email_change (account_id) where confirmed_at is null;
create index email_change_account on email_change (account_id);
create index email_change_old on email_change (old_email_key) where undo_by is not null;
