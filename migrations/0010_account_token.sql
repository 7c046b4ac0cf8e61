-- What a letter's link proves: that its reader has the mailbox. Used once, and known here only by its SHA-256.

create table account_token (
  token_sha256 bytea primary key check (length(token_sha256) = 32),
  kind text not null check (kind in ('confirm_email', 'reset_password')),
  account_id bigint not null references account (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index account_token_account on account_token (account_id);
create index account_token_expires on account_token (expires_at);
