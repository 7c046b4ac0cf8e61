-- Money that was given back, disputes, and what processors keep.

create table refund (
  id bigint generated always as identity primary key,
  name text not null unique,
  invoice_id bigint not null references invoice (id),
  method text not null,
  way text not null check (way in ('processor', 'hand', 'balance')),
  state text not null check (state in ('planned', 'due', 'sent', 'done', 'refused', 'failed', 'dropped')),
  currency text not null,
  amount_micros bigint not null check (amount_micros >= 0),
  usd_micros bigint not null check (usd_micros >= 0),
  taken_back_bytes bigint not null default 0 check (taken_back_bytes >= 0),
  external_id text,
  reference text,
  claim_url text,
  is_unused boolean not null default false,
  attempts integer not null default 0,
  fault text,
  created_at timestamptz not null,
  booked_at timestamptz,
  tried_at timestamptz,
  sent_at timestamptz,
  asked_at timestamptz,
  ended_at timestamptz,
  constraint refund_booked check ((state in ('planned', 'dropped')) = (booked_at is null)),
  constraint refund_nothing check (booked_at is not null or taken_back_bytes = 0),
  constraint refund_ended check ((state in ('done', 'failed', 'dropped')) = (ended_at is not null)),
  constraint refund_sent check (state not in ('sent', 'done') or sent_at is not null),
  constraint refund_way check (
    case way
      when 'processor' then state not in ('planned', 'dropped') and external_id is not null and amount_micros > 0
        and (state not in ('sent', 'done') or reference is not null)
      when 'hand' then state in ('planned', 'done', 'dropped')
      else state = 'done'
    end
  )
);
comment on table refund is
  'Money of an invoice that the shop gives back, any number of times an invoice. What a processor gives back '
  'without the shop is in processor_refund alone.';
comment on column refund.is_unused is
  'It was planned as what the unused traffic was worth then. What it is worth may fall until it is sent.';
comment on column refund.name is
  'Its name outside the database, random behind the number of the invoice: the idempotency key at the '
  'processor, and the reference in the ledger.';
comment on column refund.way is
  'processor: the processor sends the money. hand: staff do. balance: it went to the referral balance.';
comment on column refund.state is
  'planned: staff have to send the money, and nothing was taken for it yet. due: the processor is to be '
  'asked. sent: the processor has accepted it and may still fail. done: the money was sent; a processor may '
  'still say that it came back. refused: the processor refused it, and what was taken for it is about to be '
  'given back. failed: that was done. dropped: it was planned and never sent. failed and dropped are final.';
comment on column refund.usd_micros is 'What the books say was given back; of a planned one, will say.';
comment on column refund.taken_back_bytes is 'Traffic that was taken for it, in the pool of the invoice.';
comment on column refund.external_id is 'The processor''s id of the invoice.';
comment on column refund.reference is
  'The processor''s own id of the refund; of one that staff have sent, what they wrote down.';
comment on column refund.claim_url is
  'Where the customer claims the refund, with processors that need it.';
comment on column refund.booked_at is 'When money and traffic were taken for it.';
comment on column refund.tried_at is 'When the processor was last asked to send it.';
comment on column refund.asked_at is 'When the processor was last asked what became of it.';
comment on column refund.ended_at is 'When its state became done, failed or dropped.';

create index refund_invoice on refund (invoice_id, id);
create index refund_due on refund (tried_at nulls first) where state in ('due', 'refused');
create index refund_sent on refund (asked_at nulls first) where state = 'sent';
create index refund_state on refund (state, id desc);
create index refund_ended on refund (ended_at) where ended_at is not null;

create function refund_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'the refund % stays', old.name using errcode = 'restrict_violation';
  end if;
  if (new.id, new.name, new.invoice_id, new.method, new.way, new.currency, new.amount_micros, new.usd_micros,
      new.external_id, new.created_at)
    is distinct from (old.id, old.name, old.invoice_id, old.method, old.way, old.currency, old.amount_micros, old.usd_micros,
      old.external_id, old.created_at)
    or old.booked_at is not null and (new.booked_at, new.taken_back_bytes) is distinct from (old.booked_at, old.taken_back_bytes)
    or new.state <> old.state and not (case old.state
      when 'planned' then new.state in ('done', 'dropped')
      when 'due' then new.state in ('sent', 'done', 'refused', 'failed')
      when 'sent' then new.state in ('done', 'refused', 'failed')
      when 'refused' then new.state in ('sent', 'done', 'failed')
      when 'done' then new.state = 'failed' and new.way = 'processor'
      else false
    end) then
    raise exception 'the refund % is % and stays', old.name, old.state using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
comment on function refund_stays() is
  'Refuses changes of what a refund is of and of what was taken for it, and every step back: one that failed '
  'or was dropped never changes, one that is done can only come back from its processor.';

create trigger stays before update or delete on refund for each row execute function refund_stays();

create table processor_refund (
  method text not null,
  refund_id text not null,
  invoice_id bigint not null references invoice (id),
  cause text not null check (cause in ('refund', 'dispute')),
  state text not null check (state in ('waiting', 'counted', 'own', 'failed', 'reversed', 'unclear')),
  currency text not null,
  amount_micros bigint not null check (amount_micros > 0),
  usd_micros bigint not null default 0 check (usd_micros >= 0),
  taken_back_bytes bigint not null default 0 check (taken_back_bytes >= 0),
  lost_bytes bigint not null default 0 check (lost_bytes >= 0),
  own_refund bigint references refund (id),
  is_sent boolean not null default false,
  made_at timestamptz not null,
  counted_at timestamptz,
  changed_at timestamptz not null,
  primary key (method, refund_id),
  constraint processor_refund_counted check ((state in ('counted', 'reversed')) = (counted_at is not null)),
  constraint processor_refund_own check ((state = 'own') <= (own_refund is not null)),
  constraint processor_refund_nothing check (
    state in ('counted', 'reversed') or usd_micros = 0 and taken_back_bytes = 0 and lost_bytes = 0)
);
comment on table processor_refund is
  'What a processor reports of money that it gives back to a payer, whether the shop has asked for it or not. '
  'The primary key ensures that a refund is counted once.';
comment on column processor_refund.refund_id is
  'The processor''s id of the refund, or of the dispute that was lost.';
comment on column processor_refund.state is
  'waiting: the processor has not sent it. counted: it is in the books. own: it is one that the shop asked '
  'for, which was in the books before. failed: it was never sent. reversed: it was counted, and the money '
  'came back. unclear: it was sent in another currency, and an operator has to say what of the invoice it '
  'returned.';
comment on column processor_refund.amount_micros is
  'Millionths of `currency`: the one in which the processor collects, but for a refund that is or was '
  'unclear.';
comment on column processor_refund.usd_micros is 'What the books counted, at most what the invoice had kept.';
comment on column processor_refund.lost_bytes is
  'Traffic that the money had bought and that was not taken back: it was used, or is the customer''s by a '
  'setting.';
comment on column processor_refund.own_refund is 'The refund of the shop that it is, or a part of.';
comment on column processor_refund.is_sent is 'The processor said that it has sent the money.';

create index processor_refund_invoice on processor_refund (invoice_id);
create index processor_refund_changed on processor_refund (changed_at);
create index processor_refund_unclear on processor_refund (invoice_id) where state = 'unclear';

create function processor_refund_stays() returns trigger language plpgsql as $$
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
  frozen_micros bigint not null default 0 check (frozen_micros >= 0),
  withheld_micros bigint not null default 0 check (withheld_micros >= 0),
  released_at timestamptz,
  seen_at timestamptz not null,
  primary key (method, dispute_id)
);
comment on table payment_dispute is 'A dispute of a payer, as the processor last told of it.';
comment on column payment_dispute.frozen_bytes is
  'Unused traffic of the invoice that was withheld when the dispute was first seen, less what a refund of a '
  'part has taken of it.';
comment on column payment_dispute.frozen_micros is
  'Money of a disputed top-up that was withheld from the balance, as frozen_bytes.';
comment on column payment_dispute.withheld_micros is
  'Micro-USD that are out of the cash at the processor and in the account of disputed money at present.';
comment on column payment_dispute.released_at is
  'When that traffic was given back: the dispute ended, or the money was given back in another way.';

create index payment_dispute_invoice on payment_dispute (invoice_id);

create table refund_watch (
  method text primary key,
  looked_at timestamptz not null
);
comment on table refund_watch is 'Up to when the processor''s own lists of refunds and disputes were read.';

create table return_seen (
  method text not null,
  id text not null,
  state text not null,
  seen_at timestamptz not null,
  primary key (method, id)
);
comment on table return_seen is
  'Refunds and disputes in a processor''s lists that changed nothing here when their payment was looked up: '
  'those of other programs.';

create table processor_fee (
  method text not null,
  kind text not null check (kind in ('payment', 'refund', 'dispute')),
  subject text not null,
  invoice_id bigint not null references invoice (id),
  source text not null check (source in ('reported', 'terms')),
  currency text not null,
  amount_micros bigint not null,
  usd_micros bigint not null,
  noted_at timestamptz not null,
  primary key (method, kind, subject),
  constraint processor_fee_of_payment check (kind <> 'payment' or (amount_micros >= 0 and usd_micros >= 0))
);
comment on table processor_fee is 'A fee of a processor, posted once as an expense. Append-only.';
comment on column processor_fee.subject is
  'The processor''s id of the payment or the refund; of a dispute with the place of this fee among those of '
  'the dispute, since they may be given back and taken again.';
comment on column processor_fee.source is
  'reported: by the processor. terms: counted by the operator''s terms, for a processor that reports none.';
comment on column processor_fee.usd_micros is
  'The same in micro-USD, at the rate of the invoice; below zero: given back.';

create index processor_fee_invoice on processor_fee (invoice_id);
create index processor_fee_noted on processor_fee (noted_at);

create function processor_fee_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a fee that was posted stays' using errcode = 'restrict_violation';
end $$;
comment on function processor_fee_stays() is 'Refuses the statement.';

create trigger stays before update or delete or truncate on processor_fee
  for each statement execute function processor_fee_stays();

create table fee_terms (
  id bigint generated always as identity primary key,
  method text not null,
  valid_from timestamptz not null,
  percent_ppm integer not null check (percent_ppm between 0 and 1000000),
  fixed_micros bigint not null check (fixed_micros >= 0),
  set_at timestamptz not null,
  set_by text not null
);
comment on table fee_terms is
  'What a processor that reports no fees keeps of a payment, by the time of the payment: the last row whose '
  'time has come is in force. Append-only.';

create index fee_terms_method on fee_terms (method, valid_from desc, id desc);

create trigger stays before update or delete or truncate on fee_terms
  for each statement execute function processor_fee_stays();
