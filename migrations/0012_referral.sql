-- Shares that customers earn when those whom they invited pay with real money.

-- What the operator offers: one row.
create table referral_terms (
  one_row boolean primary key default true check (one_row),
  default_share_ppm integer not null check (default_share_ppm between 0 and 1000000)
);
insert into referral_terms (default_share_ppm) values (100000);

-- One per customer whose referral balance ever moved. Its row lock is what serialises those movements.
create table referrer (
  account_id bigint primary key references account (id),
  -- Shares of refunded purchases that had been spent already: taken from the next shares.
  owed_micros bigint not null default 0 check (owed_micros >= 0)
) with (fillfactor = 70);

-- What one invoice earned its buyer's inviter.
create table referral_earning (
  invoice_id bigint primary key references invoice (id),
  inviter_id bigint not null references referrer (account_id),
  -- Frozen with the first payment.
  share_ppm integer not null check (share_ppm between 0 and 1000000),
  earned_micros bigint not null check (earned_micros >= 0),
  -- The part of it that a refund has undone.
  undone_micros bigint not null default 0,
  earned_at timestamptz not null,
  constraint referral_never_undone_twice check (undone_micros between 0 and earned_micros)
);

create index referral_earning_inviter on referral_earning (inviter_id);
