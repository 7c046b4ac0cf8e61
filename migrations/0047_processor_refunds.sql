-- Refunds and disputes as processors tell of them, whoever asked for the refund.

create table processor_refund (
  method text not null,
  refund_id text not null,
  invoice_id bigint not null references invoice (id),
  cause text not null check (cause in ('refund', 'dispute')),
  state text not null check (state in ('waiting', 'counted', 'own', 'failed', 'reversed')),
  currency text not null,
  amount_micros bigint not null check (amount_micros > 0),
  usd_micros bigint not null default 0 check (usd_micros >= 0),
  taken_back_bytes bigint not null default 0 check (taken_back_bytes >= 0),
  lost_bytes bigint not null default 0 check (lost_bytes >= 0),
  state_before text,
  made_at timestamptz not null,
  counted_at timestamptz,
  changed_at timestamptz not null,
  primary key (method, refund_id),
  constraint processor_refund_counted check ((state in ('counted', 'reversed')) = (counted_at is not null)),
  constraint processor_refund_nothing check (
    state in ('counted', 'reversed') or usd_micros = 0 and taken_back_bytes = 0 and lost_bytes = 0)
);
comment on table processor_refund is
  'Money that a processor has given back to a payer. The primary key ensures that a refund is counted once.';
comment on column processor_refund.refund_id is 'The processor''s id of the refund, or of the dispute that was lost.';
comment on column processor_refund.state is
  'waiting: the processor has not sent it. counted: it is in the books. own: it is the one of payment_refund, which was in the books '
  'before. failed: it was never sent. reversed: it was counted, and the money came back.';
comment on column processor_refund.amount_micros is 'Millionths of the currency in which the processor collects.';
comment on column processor_refund.usd_micros is 'What the books counted, at most what the invoice had kept.';
comment on column processor_refund.lost_bytes is 'Traffic that the money had bought and that was not taken back: it was used, or is the customer''s by a setting.';
comment on column processor_refund.state_before is 'The state of the invoice when it was counted.';

create index processor_refund_invoice on processor_refund (invoice_id);
create index processor_refund_changed on processor_refund (changed_at);

create function processor_refund_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'the refund % stays', old.refund_id using errcode = 'restrict_violation';
  end if;
  if (new.method, new.refund_id, new.invoice_id, new.cause) is distinct from (old.method, old.refund_id, old.invoice_id, old.cause)
    or old.state in ('failed', 'reversed') and new.state <> old.state
    or old.state = 'counted' and (
      new.state not in ('counted', 'reversed')
      or (new.usd_micros, new.taken_back_bytes, new.lost_bytes, new.counted_at)
        is distinct from (old.usd_micros, old.taken_back_bytes, old.lost_bytes, old.counted_at)) then
    raise exception 'what was counted of the refund % stays', old.refund_id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
comment on function processor_refund_stays() is 'Refuses changes of what was counted; it can only be reversed, once.';

create trigger stays before update or delete on processor_refund
  for each row execute function processor_refund_stays();

create table payment_dispute (
  method text not null,
  dispute_id text not null,
  invoice_id bigint not null references invoice (id),
  state text not null check (state in ('needs_response', 'under_review', 'won', 'lost')),
  currency text not null,
  amount_micros bigint not null check (amount_micros > 0),
  respond_by timestamptz,
  opened_at timestamptz not null,
  frozen_bytes bigint not null default 0 check (frozen_bytes >= 0),
  released_at timestamptz,
  seen_at timestamptz not null,
  primary key (method, dispute_id)
);
comment on table payment_dispute is 'A dispute of a payer, as the processor last told of it.';
comment on column payment_dispute.frozen_bytes is 'Unused traffic of the invoice that was withheld when the dispute was first seen.';
comment on column payment_dispute.released_at is 'When that traffic was given back: the dispute ended, or the money was given back in another way.';

create index payment_dispute_invoice on payment_dispute (invoice_id);

create table refund_watch (
  method text primary key,
  looked_at timestamptz not null
);
comment on table refund_watch is 'Up to when the processor''s own lists of refunds and disputes were read.';

create or replace function invoice_stays() returns trigger language plpgsql as $$
declare
  is_reversal boolean := false;
begin
  if tg_op = 'DELETE' then
    if old.settled_at is not null then
      raise exception 'invoice % is settled and stays', old.number using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  if (new.id, new.number, new.account_id, new.pool, new.method, new.gb, new.per_gb_micros, new.volume_discount_ppm,
      new.promo_discount_ppm, new.promocode, new.promocode_id, new.language, new.cost_micros, new.full_cost_micros,
      new.price_currency, new.price_micros, new.rate_per_usd_micros, new.rate_set_at)
    is distinct from
     (old.id, old.number, old.account_id, old.pool, old.method, old.gb, old.per_gb_micros, old.volume_discount_ppm,
      old.promo_discount_ppm, old.promocode, old.promocode_id, old.language, old.cost_micros, old.full_cost_micros,
      old.price_currency, old.price_micros, old.rate_per_usd_micros, old.rate_set_at) then
    raise exception 'the order of invoice % is frozen', old.number using errcode = 'restrict_violation';
  end if;
  if old.settled_at is null then
    return new;
  end if;
  -- The money of a refund came back to the processor: what was counted of it, and nothing else, is undone.
  if new.refunded_micros < old.refunded_micros then
    is_reversal := exists (
      select from processor_refund r where r.invoice_id = new.id and r.state = 'reversed'
        and r.usd_micros = old.refunded_micros - new.refunded_micros
        and r.taken_back_bytes = old.taken_back_bytes - new.taken_back_bytes)
      and (new.received_micros, new.credited_bytes) = (old.received_micros, old.credited_bytes);
  end if;
  if (new.created_at, new.expires_at) is distinct from (old.created_at, old.expires_at)
    or new.settled_at is null
    or old.external_id is not null and new.external_id is distinct from old.external_id
    or new.received_micros < old.received_micros or new.credited_bytes < old.credited_bytes
    or not is_reversal and (
      new.refunded_micros < old.refunded_micros or new.taken_back_bytes < old.taken_back_bytes
      or old.refunded_at is not null and new.refunded_at is distinct from old.refunded_at
      or old.state = 'refunded' and new.state <> 'refunded')
    or new.state not in ('paid', 'underpaid', 'refunded') then
    raise exception 'invoice % is settled and stays', old.number using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
comment on function invoice_stays() is
  'Refuses changes of what was ordered at which price. Once an invoice is settled, it is not deleted, it does not become open, '
  'expired or cancelled again, and no sum of it decreases, but by a refund whose money came back.';

create table return_seen (
  method text not null,
  id text not null,
  state text not null,
  seen_at timestamptz not null,
  primary key (method, id)
);
comment on table return_seen is
  'Refunds and disputes in a processor''s lists that changed nothing here when their payment was looked up: those of other programs.';

create or replace function payment_refund_stays() returns trigger language plpgsql as $$
begin
  -- A bank may send a refund back to the processor days later: then the operator returns the money by hand.
  if old.state = 'sent' and (tg_op = 'DELETE' or new.state <> 'failed') then
    raise exception 'the refund of invoice % was sent', old.invoice_id using errcode = 'restrict_violation';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
comment on function payment_refund_stays() is 'Refuses changes of a refund that was sent, but that it has failed all the same.';
