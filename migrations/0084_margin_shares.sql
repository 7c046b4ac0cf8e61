-- Fees and shares of inviters in what traffic earns: docs/decisions/0043-margin-by-customer.md.

-- Until now micros had the fees subtracted from it, so that the sums of moves that were made before stay the same.
alter table traffic_move
  add column fee_micros bigint not null default 0,
  add column share_micros bigint not null default 0;
alter table traffic_move_part
  add column fee_micros bigint not null default 0,
  add column share_micros bigint not null default 0;
comment on column traffic_move.fee_micros is 'Of micros, what processors kept.';
comment on column traffic_move.share_micros is 'Of micros, the shares of inviters.';

alter table invoice add column from_shares_micros bigint not null default 0 check (from_shares_micros between 0 and received_micros);
comment on column invoice.from_shares_micros is
  'Of an order that a referral balance paid: what shares had brought there. The rest is money that staff gave, which is spent last.';

update invoice i set from_shares_micros = paid.micros
from (
  select s.id, greatest(0, least(s.received_micros, coalesce(e.micros, 0) - s.before))::bigint as micros
  from (
    select id, account_id, received_micros,
      coalesce(sum(received_micros - refunded_micros) over (
        partition by account_id order by settled_at, id rows between unbounded preceding and 1 preceding), 0) as before
    from invoice where method = 'referral' and settled_at is not null
  ) s
  left join (
    select inviter_id, sum(earned_micros - undone_micros) as micros from referral_earning group by inviter_id
  ) e on e.inviter_id = s.account_id
) paid
where i.id = paid.id;

alter table referrer add column gifts_owed_micros bigint not null default 0 check (gifts_owed_micros >= 0);
comment on column referrer.gifts_owed_micros is
  'Of money that staff gave, what paid the debt of taken back shares: it never was on the balance. For the comparison with the ledger.';
