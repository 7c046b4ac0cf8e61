-- Shares that customers earn by inviting others, and their payouts to wallets by the operator's hand; the
-- tokens with which customers' programs call the API.

create table referral_terms (
  one_row boolean primary key default true check (one_row),
  default_share_ppm integer not null check (default_share_ppm between 0 and 1000000)
);
comment on table referral_terms is 'What the operator offers; always one row.';

insert into referral_terms (default_share_ppm) values (100000);

create table referrer (
  account_id bigint primary key references account (id),
  owed_micros bigint not null default 0 check (owed_micros >= 0),
  gifts_owed_micros bigint not null default 0 check (gifts_owed_micros >= 0)
) with (fillfactor = 70);
comment on table referrer is
  'A customer whose referral balance ever changed. The lock of this row serialises the changes.';
comment on column referrer.owed_micros is
  'Shares of refunded purchases that had been spent already; the next shares are reduced by them.';
comment on column referrer.gifts_owed_micros is
  'Of money that staff gave, what paid the debt of taken back shares: it never was on the balance. For the '
  'comparison with the ledger.';

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
  created_at timestamptz not null default now(),
  used_at timestamptz,
  used_ip text
);
comment on table reseller_token is 'The token with which a customer''s own programs call the API.';
comment on column reseller_token.token_sha256 is 'What the token of a request is looked up by.';
comment on column reseller_token.token_sealed is
  'AES-256-GCM under a key of SECRET_KEY, since the customer may see the token again.';
comment on column reseller_token.used_at is 'The last call with the token, to the minute.';
comment on column reseller_token.used_ip is 'Where that call came from.';

create unlogged table reseller_pace (
  account_id bigint primary key,
  paid_until timestamptz not null
);
comment on table reseller_pace is
  'How far the calls with an account''s token have run ahead of their rate. It is kept per account so that a '
  'new token does not start a new allowance. The table is unlogged: a call does not wait for the disk, and '
  'after a crash all allowances are full.';
comment on column reseller_pace.paid_until is
  'The moment that the calls so far are allowed for; every call moves it on.';

create table reseller_agreement (
  account_id bigint primary key references account (id),
  pace_times smallint not null check (pace_times between 2 and 100),
  agreed_at timestamptz not null
);
comment on table reseller_agreement is
  'What the shop has agreed with a customer about the API; the audit trail has its history. Without a row: the usual.';
comment on column reseller_agreement.pace_times is 'How many times the usual limits of calls and of their cost.';

create table referral_payout (
  id bigint generated always as identity primary key,
  account_id bigint not null references referrer (account_id),
  number integer not null check (number > 0),
  operation text,
  asked_micros bigint not null check (asked_micros > 0),
  micros bigint not null check (micros between 0 and asked_micros),
  network text not null,
  address text not null,
  state text not null default 'requested' check (state in ('requested', 'sending', 'paid', 'refused', 'cancelled')),
  asked_at timestamptz not null,
  taken_at timestamptz,
  ended_at timestamptz,
  reference text,
  reason text,
  unique (account_id, number),
  unique (account_id, operation),
  check ((ended_at is not null) = (state in ('paid', 'refused', 'cancelled'))),
  check ((reference is not null) = (state = 'paid')),
  check (reason is null or state = 'refused'),
  check (taken_at is not null or state not in ('sending', 'paid')),
  -- Only a refund of all that earned it empties a request, and ends it.
  check (micros > 0 or state = 'refused')
);
comment on table referral_payout is
  'A customer''s request to have money of the referral balance sent to a wallet. While it is open, its money '
  'is on the ledger account referral_payout.';
comment on column referral_payout.number is 'What the customer knows it by: 1 is their first.';
comment on column referral_payout.operation is
  'The same for every repetition of the call that made it; null: the caller gave no key.';
comment on column referral_payout.asked_micros is 'What was asked for.';
comment on column referral_payout.micros is
  'What is left of it after refunds of the purchases that had earned it.';
comment on column referral_payout.address is 'The wallet; empty once the customer''s data was erased.';
comment on column referral_payout.state is
  'requested: the customer can cancel it; sending: staff have it in hand, and the money may be on its way; '
  'the others are final.';
comment on column referral_payout.taken_at is 'When staff took it in hand.';
comment on column referral_payout.reference is 'What the network calls the payment.';
comment on column referral_payout.reason is
  'Why it was refused, in the words that the customer is told; null: refunds left nothing of it.';

create unique index referral_payout_one_open on referral_payout (account_id)
  where state in ('requested', 'sending');
create index referral_payout_waiting on referral_payout (id) where state in ('requested', 'sending');
