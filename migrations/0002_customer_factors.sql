-- Second factors of customers, and when what protects an account was last changed.

create table account_totp (
  account_id bigint primary key references account (id),
  sealed bytea not null,
  last_step bigint not null,
  created_at timestamptz not null,
  used_at timestamptz
);
comment on table account_totp is 'The authenticator app of a customer.';
comment on column account_totp.sealed is 'The secret of RFC 6238, sealed.';
comment on column account_totp.last_step is
  'The time step of the last code that was accepted; that code and earlier ones are refused.';

create table account_passkey (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
comment on table account_passkey is 'A passkey of a customer.';
comment on column account_passkey.credential_id is 'In base64url, as WebAuthn has it.';
comment on column account_passkey.counter is 'The signature counter; it does not decrease.';

create index account_passkey_account on account_passkey (account_id);

create table account_recovery_code (
  account_id bigint not null references account (id),
  code_sha256 bytea not null check (length(code_sha256) = 32),
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (account_id, code_sha256)
);
comment on table account_recovery_code is
  'A code of 120 random bits that stands in for the second factor once. The code itself is not stored.';

create table sign_in_step (
  ticket_sha256 bytea primary key check (length(ticket_sha256) = 32),
  account_id bigint not null references account (id),
  way text not null check (way in ('password', 'telegram')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table sign_in_step is
  'A sign-in whose first step was right and whose second factor is missing. The ticket itself is known to '
  'the browser only.';

create index sign_in_step_account on sign_in_step (account_id);
create index sign_in_step_expires on sign_in_step (expires_at);

create table used_challenge (
  challenge_sha256 bytea primary key check (length(challenge_sha256) = 32),
  expires_at timestamptz not null
);
comment on table used_challenge is
  'A WebAuthn challenge that was answered. Challenges are not stored when they are given out; each is '
  'answered once.';

create index used_challenge_expires on used_challenge (expires_at);

create table security_changed (
  account_id bigint primary key references account (id),
  at timestamptz not null
);
comment on table security_changed is
  'When something that protects an account was last changed: its password, e-mail address or second factors. '
  'Gifts wait after it.';
