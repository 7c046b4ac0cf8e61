-- Currencies in which prices are shown, dated rates with their history, and what an invoice froze of them.

alter table exchange_rate
  add column day date not null generated always as ((set_at at time zone 'UTC')::date) stored,
  add column source text not null default 'hand' check (source in ('hand', 'file')),
  add column entered_at timestamptz,
  add column entered_by text check (length(entered_by) between 1 and 200),
  add column reason text;
update exchange_rate set entered_at = set_at;
alter table exchange_rate
  alter column entered_at set not null,
  alter column entered_at set default now(),
  -- Rates of earlier versions had at most six digits before the point.
  add constraint exchange_rate_size check (per_usd_micros <= 9999999999999),
  add constraint exchange_rate_is_known check (set_at <= entered_at);
comment on table exchange_rate is
  'Rates that the operator entered, by hand or from a file. It is append-only: of the latest day that a currency has a rate of, the newest '
  'row applies.';
comment on column exchange_rate.set_at is 'The time that the rate is of; of a rate by the day, its beginning in UTC. Its age counts from here.';
comment on column exchange_rate.day is 'The UTC day of set_at. An entry for the same day corrects the one before.';
comment on column exchange_rate.entered_by is 'A member of staff, or a user of the command line. Null: entered by a version that did not note it.';

drop index exchange_rate_newest;
create index exchange_rate_newest on exchange_rate (currency, day desc, id desc);

create function exchange_rate_stays() returns trigger language plpgsql as $$
begin
  raise exception 'rates are append-only: enter another one' using errcode = 'restrict_violation';
end $$;
comment on function exchange_rate_stays() is 'Refuses the statement.';

create trigger stays before update or delete or truncate on exchange_rate
  for each statement execute function exchange_rate_stays();

create table display_currency (
  currency text primary key check (currency ~ '^[A-Z]{3}$' and currency <> 'USD'),
  shown_since timestamptz not null
);
comment on table display_currency is 'The currencies besides USD in which customers may look at prices. They pay what the payment method collects.';

create table account_currency (
  account_id bigint primary key references account (id),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  chosen_at timestamptz not null
);
comment on table account_currency is 'The currency in which a customer wants to see prices; no row: none was chosen. USD is a choice too.';

alter table invoice
  add column shown_currency text,
  add column shown_micros bigint,
  add column shown_per_usd_micros bigint,
  add column shown_set_at timestamptz,
  add constraint invoice_shown check (
    num_nonnulls(shown_currency, shown_micros, shown_per_usd_micros, shown_set_at) in (0, 4)
    and shown_micros >= 0 and (shown_currency is null or shown_currency is distinct from price_currency)
  );
comment on column invoice.shown_currency is
  'The currency in which the customer was shown the cost, when that is neither USD nor what the processor collects; amount and rate are frozen.';
comment on column invoice.shown_per_usd_micros is 'Millionths of shown_currency for one USD.';

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
      new.price_currency, new.price_micros, new.rate_per_usd_micros, new.rate_set_at, new.shown_currency,
      new.shown_micros, new.shown_per_usd_micros, new.shown_set_at)
    is distinct from
     (old.id, old.number, old.account_id, old.pool, old.method, old.gb, old.per_gb_micros, old.volume_discount_ppm,
      old.promo_discount_ppm, old.promocode, old.promocode_id, old.language, old.cost_micros, old.full_cost_micros,
      old.price_currency, old.price_micros, old.rate_per_usd_micros, old.rate_set_at, old.shown_currency,
      old.shown_micros, old.shown_per_usd_micros, old.shown_set_at) then
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
