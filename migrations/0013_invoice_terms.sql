-- What an invoice was quoted with a promo code, and what a refund undid.

alter table invoice
  add promocode_id bigint references promocode (id),
  -- What it would have cost without the code.
  add full_cost_micros bigint,
  -- The payment came when the code's use was gone: it bought at the full cost.
  add promo_lost_at timestamptz,
  add refunded_at timestamptz,
  -- Money given back, and the traffic that could be taken back.
  add refunded_micros bigint not null default 0,
  add taken_back_bytes bigint not null default 0;

update invoice set full_cost_micros = cost_micros;

alter table invoice
  alter full_cost_micros set not null,
  add constraint invoice_full_cost check (full_cost_micros >= cost_micros and full_cost_micros % 10000 = 0),
  add constraint invoice_promocode check ((promocode_id is null) = (promocode is null)),
  add constraint invoice_loses_a_promo_it_had check (promo_lost_at is null or promocode_id is not null),
  add constraint invoice_refund check (
    (state = 'refunded') = (refunded_at is not null)
    and refunded_micros between 0 and received_micros
    and taken_back_bytes between 0 and credited_bytes
    and (refunded_at is not null or (refunded_micros = 0 and taken_back_bytes = 0))
  );

create index invoice_promocode on invoice (promocode_id) where promocode_id is not null;
create index invoice_state on invoice (state, id desc);

-- What each campaign brought: sign-ups, those of them who paid, and their money less what was given back.
create view campaign as
  select a.admin_referral_code as code,
    count(distinct a.id) as sign_ups,
    count(distinct i.account_id) as buyers,
    coalesce(sum(i.received_micros - i.refunded_micros), 0)::bigint as revenue_micros
  from account a
  left join invoice i on i.account_id = a.id and i.received_micros > 0 and i.method <> 'referral'
  where a.admin_referral_code is not null
  group by a.admin_referral_code;
