-- Payouts: what inviters have earned, sent to their wallets by the operator's hand.

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
  'A customer''s request to have money of the referral balance sent to a wallet. While it is open, its money is on the ledger account referral_payout.';
comment on column referral_payout.number is 'What the customer knows it by: 1 is their first.';
comment on column referral_payout.operation is 'The same for every repetition of the call that made it; null: the caller gave no key.';
comment on column referral_payout.asked_micros is 'What was asked for.';
comment on column referral_payout.micros is 'What is left of it after refunds of the purchases that had earned it.';
comment on column referral_payout.address is 'The wallet; empty once the customer''s data was erased.';
comment on column referral_payout.state is
  'requested: the customer can cancel it; sending: staff have it in hand, and the money may be on its way; the others are final.';
comment on column referral_payout.taken_at is 'When staff took it in hand.';
comment on column referral_payout.reference is 'What the network calls the payment.';
comment on column referral_payout.reason is 'Why it was refused, in the words that the customer is told; null: refunds left nothing of it.';

create unique index referral_payout_one_open on referral_payout (account_id) where state in ('requested', 'sending');
create index referral_payout_waiting on referral_payout (id) where state in ('requested', 'sending');
