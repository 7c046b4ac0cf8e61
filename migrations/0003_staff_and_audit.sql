-- The people behind the shop, their sign-ins and saved lists, what they note of customers, and the trail of
-- what they and the command line did.

create table staff (
  id bigint generated always as identity primary key,
  name text not null,
  name_key text not null unique,
  role text not null check (role in ('owner', 'operator', 'support', 'accountant', 'viewer')),
  password_hash text,
  totp_sealed bytea,
  totp_last_step bigint,
  blocked_at timestamptz,
  seen_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table staff is 'A member of staff. Staff are not customers: they have no account.';
comment on column staff.name_key is 'The name in NFKC and lower case; names are compared in this form.';
comment on column staff.password_hash is
  'argon2id in PHC format; null: the person has not used their link yet.';
comment on column staff.totp_sealed is 'The secret of RFC 6238, sealed; null: there is none.';
comment on column staff.totp_last_step is
  'The time step of the last code that was accepted; that code and earlier ones are refused.';

create table staff_session (
  id bigint generated always as identity primary key,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  staff_id bigint not null references staff (id),
  is_complete boolean not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  ends_at timestamptz not null,
  factor_at timestamptz,
  challenge text,
  challenge_at timestamptz,
  totp_sealed bytea,
  ip text,
  user_agent text
);
comment on table staff_session is 'A sign-in to the desk. The token itself is known to the browser only.';
comment on column staff_session.is_complete is 'False: the password was right, the second factor is missing.';
comment on column staff_session.factor_at is 'When the second factor was proved last.';
comment on column staff_session.challenge is
  'The WebAuthn challenge that was given out last; it is used once.';
comment on column staff_session.totp_sealed is 'A TOTP secret that is being set up, sealed.';

create index staff_session_staff on staff_session (staff_id);
create index staff_session_ends on staff_session (ends_at);

create table staff_recovery_code (
  staff_id bigint not null references staff (id),
  code_sha256 bytea not null check (length(code_sha256) = 32),
  used_at timestamptz,
  primary key (staff_id, code_sha256)
);
comment on table staff_recovery_code is
  'A code of 120 random bits that stands in for the second factor once. The code itself is not stored.';

create table staff_webauthn_credential (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff (id),
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
comment on table staff_webauthn_credential is 'A passkey of a member of staff.';
comment on column staff_webauthn_credential.credential_id is 'In base64url, as WebAuthn has it.';
comment on column staff_webauthn_credential.counter is 'The signature counter; it does not decrease.';

create index staff_webauthn_credential_staff on staff_webauthn_credential (staff_id);

create table staff_link (
  staff_id bigint primary key references staff (id),
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  challenge text,
  totp_sealed bytea
);
comment on table staff_link is
  'A link at which a person sets a password and a second factor, once. A new one replaces the one before it.';

create table staff_view (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff (id) on delete cascade,
  page text not null check (length(page) between 1 and 40),
  name text not null check (length(name) between 1 and 60),
  query text not null check (length(query) <= 2000),
  created_at timestamptz not null default now(),
  unique (staff_id, page, name)
);
comment on table staff_view is
  'A list of the desk as a member of staff saved it: filters, order and search, as in the address.';

create table customer_view (
  id bigint generated always as identity primary key,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  staff_session_id bigint not null references staff_session (id) on delete cascade,
  account_id bigint not null references account (id) on delete cascade,
  created_at timestamptz not null,
  opened_at timestamptz,
  ends_at timestamptz not null
);
comment on table customer_view is
  'A read-only view of a customer''s account, made for a sign-in to the desk; it ends with that sign-in.';
comment on column customer_view.token_sha256 is
  'Of the link''s token until the link is used, then of the browser''s: a link works once.';
comment on column customer_view.opened_at is 'When the link was used; null: not yet.';
comment on column customer_view.ends_at is 'Of the link, then of the view.';

create index customer_view_session on customer_view (staff_session_id);
create index customer_view_account on customer_view (account_id);
create index customer_view_ends on customer_view (ends_at);

create table account_note (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  text text not null check (length(text) between 1 and 4000),
  author_kind text not null,
  author_id bigint,
  author_name text not null,
  created_at timestamptz not null
);
comment on table account_note is 'What staff wrote about a customer, for each other.';

create index account_note_account on account_note (account_id, id);

create table account_tag (
  account_id bigint not null references account (id),
  tag text not null check (length(tag) between 1 and 40),
  primary key (account_id, tag)
);
comment on table account_tag is 'A word by which staff find customers again.';

create index account_tag_tag on account_tag (tag, account_id desc);

create table audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor_kind text not null check (actor_kind in ('staff', 'system', 'anonymous')),
  staff_id bigint references staff (id),
  actor_name text not null,
  action text not null,
  subject_kind text not null,
  subject_id text not null,
  account_id bigint,
  before jsonb,
  after jsonb,
  reason text,
  ip text,
  request_id text,
  redacted_at timestamptz,
  unproven_micros bigint check (unproven_micros >= 0),
  unproven_bytes bigint check (unproven_bytes >= 0),
  unproven_of text,
  check ((actor_kind = 'staff') = (staff_id is not null)),
  constraint audit_entry_unproven check (
    num_nonnulls(unproven_micros, unproven_bytes) = 0 and unproven_of is null or staff_id is not null)
);
comment on table audit_entry is
  'What a member of staff or a user of the command line did, inserted in the transaction of the change. '
  'Append-only.';
comment on column audit_entry.actor_name is
  'The name at that time; of the command line, the user of the system.';
comment on column audit_entry.action is 'The call of the desk; the command line uses the same names.';
comment on column audit_entry.account_id is
  'The customer whom it concerns. There is no foreign key: the entry outlives what it is about.';
comment on column audit_entry.before is 'What was changed, before; secrets are left out.';
comment on column audit_entry.redacted_at is
  'When the data of the person whom it concerns was erased: who did what to which account and when stays, '
  'the snapshots and the reason do not.';
comment on column audit_entry.unproven_micros is
  'The money of an act that a member did without a fresh second factor; null: none, or the factor was fresh.';
comment on column audit_entry.unproven_bytes is 'The same of given traffic.';
comment on column audit_entry.unproven_of is
  'What the money belongs to, where several acts concern the same: it counts once. Null: this act alone.';

-- What acts of staff without a fresh second factor were worth: their sum in 24 hours is bounded.
create index audit_entry_unproven on audit_entry (staff_id, at)
  where unproven_micros is not null or unproven_bytes is not null;
create index audit_entry_account on audit_entry (account_id, id) where account_id is not null;
create index audit_entry_subject on audit_entry (subject_kind, subject_id, id);
create index audit_entry_staff on audit_entry (staff_id, id) where staff_id is not null;
create index audit_entry_at on audit_entry (at);
-- An act that is sent twice with the same key is done once.
create unique index audit_entry_key on audit_entry ((after ->> 'key')) where after ->> 'key' is not null;

create function audit_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is append-only: % is refused', tg_op using errcode = 'restrict_violation';
end $$;
comment on function audit_refuse() is 'Refuses the statement.';

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
  'Refuses every change but one: the snapshots and the reason of an entry are removed, once, and the entry '
  'tells when.';

create trigger redact_only before update on audit_entry for each row execute function audit_redact_only();
