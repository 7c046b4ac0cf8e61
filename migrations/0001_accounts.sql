-- People: customers and operators, the sessions they hold, and what slows down a guesser.

create table account (
  id bigint generated always as identity primary key,
  username text,
  -- NFKC, lower case: what "taken" is decided by.
  username_key text unique,
  email text,
  email_key text unique,
  email_confirmed_at timestamptz,
  -- argon2id, PHC format; null for accounts that came by the Telegram bot and never set one.
  password_hash text,
  lang text not null default 'rus' check (lang in ('rus', 'eng')),
  -- 1 customer, 2 operator.
  role_id smallint not null default 1 check (role_id in (1, 2)),
  ref_code text not null unique,
  invited_by bigint references account (id),
  admin_referral_code text,
  -- Parts per million of an invited purchase; 0 means the operator's default share.
  pers_percent_ppm integer not null default 0 check (pers_percent_ppm between 0 and 1000000),
  blocked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((username is null) = (username_key is null)),
  check ((email is null) = (email_key is null))
);

create index account_invited_by on account (invited_by) where invited_by is not null;

create table session (
  token_sha256 bytea primary key check (length(token_sha256) = 32),
  account_id bigint not null references account (id),
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index session_account on session (account_id);
create index session_expires on session (expires_at);

-- Failed attempts, counted over a sliding window by every api process alike.
create table attempt (
  id bigint generated always as identity primary key,
  kind text not null,
  subject text not null,
  at timestamptz not null default now()
);

create index attempt_subject on attempt (kind, subject, at);

-- The first answer to a call that moves money or traffic, replayed to its repeats for 24 hours.
create table idempotency_key (
  account_id bigint not null references account (id),
  key text not null,
  request_sha256 bytea not null check (length(request_sha256) = 32),
  -- Null while the first call is still running.
  status smallint,
  headers jsonb,
  body text,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);

create index idempotency_key_created on idempotency_key (created_at);
