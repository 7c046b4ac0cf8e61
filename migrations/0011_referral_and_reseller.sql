-- Shares that customers earn by inviting others, and the tokens with which customers' programs call the API.

create table referral_terms (
  one_row boolean primary key default true check (one_row),
  default_share_ppm integer not null check (default_share_ppm between 0 and 1000000)
);
comment on table referral_terms is 'What the operator offers; always one row.';

insert into referral_terms (default_share_ppm) values (100000);

create table referrer (
  account_id bigint primary key references account (id),
  owed_micros bigint not null default 0 check (owed_micros >= 0)
) with (fillfactor = 70);
comment on table referrer is
  'A customer whose referral balance ever changed. The lock of this row serialises the changes.';
comment on column referrer.owed_micros is
  'Shares of refunded purchases that had been spent already; the next shares are reduced by them.';

create table referral_earning (
  invoice_id bigint primary key references invoice (id),
  inviter_id bigint not null references referrer (account_id),
  share_ppm integer not null check (share_ppm between 0 and 1000000),
  earned_micros bigint not null check (earned_micros >= 0),
  undone_micros bigint not null default 0,
  earned_at timestamptz not null,
  constraint referral_never_undone_twice check (undone_micros between 0 and earned_micros)
);
comment on table referral_earning is 'What an invoice earned the inviter of its buyer.';
comment on column referral_earning.share_ppm is 'Frozen with the first payment.';
comment on column referral_earning.undone_micros is 'The part of earned_micros that a refund has undone.';

create index referral_earning_inviter on referral_earning (inviter_id);

create table reseller_token (
  account_id bigint primary key references account (id),
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  token_sealed bytea not null,
  created_at timestamptz not null default now()
);
comment on table reseller_token is 'The token with which a customer''s own programs call the API.';
comment on column reseller_token.token_sha256 is 'What the token of a request is looked up by.';
comment on column reseller_token.token_sealed is
  'AES-256-GCM under a key of SECRET_KEY, since the customer may see the token again.';

create unlogged table reseller_pace (
  account_id bigint primary key,
  paid_until timestamptz not null
);
comment on table reseller_pace is
  'How far the calls with an account''s token have run ahead of their rate. It is kept per account so that a new token does not '
  'start a new allowance. The table is unlogged: a call does not wait for the disk, and after a crash all allowances are full.';
comment on column reseller_pace.paid_until is 'The moment that the calls so far are allowed for; every call moves it on.';
