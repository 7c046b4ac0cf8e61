-- Limits of promo codes: a first purchase only, some pools only, so many uses by each person.

alter table promocode
  add column first_purchase boolean not null default false,
  add column pools text[] check (
    cardinality(pools) > 0 and pools <@ array['residential', 'residential_premium', 'datacenter', 'mobile']),
  add column uses_per_person integer not null default 1 check (uses_per_person between 1 and 1000),
  add constraint promocode_limits_of_discounts check (kind = 'discount' or (not first_purchase and pools is null));
comment on column promocode.first_purchase is 'Only for the first purchase that a customer pays.';
comment on column promocode.pools is 'The discount is only for orders in these pools; null: in any. A traffic code has its one pool.';
comment on column promocode.uses_per_person is 'The largest number of used rows of promo_use of one customer.';

alter table promo_use add column nth integer not null default 1 check (nth between 1 and 1000);
alter table promo_use alter column nth drop default;
alter table promo_use drop constraint promo_use_pkey;
alter table promo_use add primary key (promocode_id, account_id, nth);
comment on table promo_use is
  'A customer''s use of a code: held while an invoice is open, used when it is paid.';
comment on column promo_use.nth is 'Tells the uses of one code by one customer apart.';

drop index promo_use_invoice;
create unique index promo_use_invoice on promo_use (invoice) where invoice is not null;

-- The row of the code is locked before a use is counted, so the count is of committed rows.
create function promo_use_within_limit() returns trigger language plpgsql as $$
declare
  allowed integer;
  used integer;
begin
  select uses_per_person into allowed from promocode where id = new.promocode_id;
  select count(*) into used from promo_use
    where promocode_id = new.promocode_id and account_id = new.account_id and nth <> new.nth and used_at is not null;
  if used >= allowed then
    raise exception 'account % has used promo code % as often as it may', new.account_id, new.promocode_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
comment on function promo_use_within_limit() is 'Refuses a use of a promo code beyond those that each customer may have.';

create trigger within_limit before insert or update of used_at on promo_use
  for each row when (new.used_at is not null) execute function promo_use_within_limit();
