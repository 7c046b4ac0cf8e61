-- What is settled stays as it was settled, whatever the program or a clock thinks later: the database refuses.

create function invoice_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.settled_at is not null then
      raise exception 'invoice % is settled and stays', old.number using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  -- Who ordered what at which price never changes.
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
  -- Money that has come in is there: it opens, expires and cancels nothing any more, and no sum shrinks.
  if (new.created_at, new.expires_at) is distinct from (old.created_at, old.expires_at)
    or new.settled_at is null
    or old.external_id is not null and new.external_id is distinct from old.external_id
    or new.received_micros < old.received_micros or new.credited_bytes < old.credited_bytes
    or new.refunded_micros < old.refunded_micros or new.taken_back_bytes < old.taken_back_bytes
    or old.refunded_at is not null and new.refunded_at is distinct from old.refunded_at
    or new.state not in ('paid', 'underpaid', 'refunded')
    or old.state = 'refunded' and new.state <> 'refunded' then
    raise exception 'invoice % is settled and stays', old.number using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger stays before update or delete on invoice for each row execute function invoice_stays();

-- A payment that was counted, and a refund that was sent, are facts.
create function payment_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a payment that was counted stays' using errcode = 'restrict_violation';
end $$;

create trigger stays before update or delete or truncate on payment
  for each statement execute function payment_stays();

create function payment_refund_stays() returns trigger language plpgsql as $$
begin
  if old.state = 'sent' then
    raise exception 'the refund of invoice % was sent', old.invoice_id using errcode = 'restrict_violation';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;

create trigger stays before update or delete on payment_refund
  for each row execute function payment_refund_stays();
