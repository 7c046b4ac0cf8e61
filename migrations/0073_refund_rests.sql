-- A refund that was counted with less than its worth, because the invoice had kept no more, is counted further after another came back.

create or replace function processor_refund_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'the refund % stays', old.refund_id using errcode = 'restrict_violation';
  end if;
  if (new.method, new.refund_id, new.invoice_id, new.cause) is distinct from (old.method, old.refund_id, old.invoice_id, old.cause)
    or old.state in ('failed', 'reversed') and new.state <> old.state
    or old.state = 'counted' and (
      new.state not in ('counted', 'reversed') or new.counted_at is distinct from old.counted_at
      or new.usd_micros < old.usd_micros or new.taken_back_bytes < old.taken_back_bytes or new.lost_bytes < old.lost_bytes
      or new.state = 'reversed' and (new.usd_micros, new.taken_back_bytes, new.lost_bytes)
        is distinct from (old.usd_micros, old.taken_back_bytes, old.lost_bytes)) then
    raise exception 'what was counted of the refund % stays', old.refund_id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
comment on function processor_refund_stays() is
  'Refuses changes of what was counted: it can grow while other refunds come back, and be reversed, once.';
