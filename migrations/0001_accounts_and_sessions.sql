-- Customers and operators, their sessions, the links that letters carry, and the attempts by which guessing is limited.

create table account (
  id bigint generated always as identity primary key,
  username text,
  username_key text unique,
  email text,
  email_key text unique,
  email_confirmed_at timestamptz,
  password_hash text,
  lang text not null default 'rus' check (lang in ('rus', 'eng')),
  role_id smallint not null default 1 check (role_id in (1, 2)),
  ref_code text not null unique,
  invited_by bigint references account (id),
  admin_referral_code text,
  pers_percent_ppm integer not null default 0 check (pers_percent_ppm between 0 and 1000000),
  blocked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((username is null) = (username_key is null)),
  check ((email is null) = (email_key is null))
);
comment on table account is 'A customer or an operator.';
comment on column account.username_key is 'The user name in NFKC and lower case; names are compared in this form.';
comment on column account.email_key is 'The address in NFKC and lower case; addresses are compared in this form.';
comment on column account.password_hash is
  'argon2id in PHC format; null: the Telegram bot made the account, and no password was set.';
comment on column account.lang is 'The language, as the wire spells it.';
comment on column account.role_id is '1: customer; 2: operator.';
comment on column account.ref_code is 'The code in the links with which this account invites others.';
comment on column account.admin_referral_code is 'The campaign of the operator that brought this account; see the view campaign.';
comment on column account.pers_percent_ppm is
  'The share of an invited account''s payments that this account earns, in parts per million; '
  '0: the default of referral_terms.';

create index account_invited_by on account (invited_by) where invited_by is not null;

create table session (
  token_sha256 bytea primary key check (length(token_sha256) = 32),
  account_id bigint not null references account (id),
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  expires_at timestamptz not null
);
comment on table session is 'A sign-in to the site. The token itself is known to the browser only.';

create index session_account on session (account_id);
create index session_expires on session (expires_at);

create table account_token (
  token_sha256 bytea primary key check (length(token_sha256) = 32),
  kind text not null check (kind in ('confirm_email', 'reset_password')),
  account_id bigint not null references account (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table account_token is
  'The token in the link of a letter, which proves access to the mailbox. It is used once; the token itself is not stored.';

create index account_token_account on account_token (account_id);
create index account_token_expires on account_token (expires_at);

create table attempt (
  id bigint generated always as identity primary key,
  kind text not null,
  subject text not null,
  at timestamptz not null default now()
);
comment on table attempt is
  'An attempt at something that is limited, such as a sign-in, counted over a sliding window by all processes together. '
  'It is counted before it is judged and removed when it succeeds.';
comment on column attempt.kind is 'What was attempted; each kind has a limit of its own.';
comment on column attempt.subject is 'What the attempts are counted by, such as an account or the network of a client.';

create index attempt_subject on attempt (kind, subject, at);
