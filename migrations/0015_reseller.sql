-- The token with which a customer's own program calls the API.

create table reseller_token (
  account_id bigint primary key references account (id),
  -- What a request is looked up by.
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  -- What the customer is shown again, sealed with SECRET_KEY.
  token_sealed bytea not null,
  created_at timestamptz not null default now()
);

-- How far the calls of a customer's token have run ahead of their rate: one moment, moved by every call. It is kept
-- per account, so that a new token starts no new allowance. Not logged: a write here waits for no disk, and after a
-- crash everybody starts with a full allowance.
create unlogged table reseller_pace (
  account_id bigint primary key,
  paid_until timestamptz not null
);
