-- A call that moves money or traffic is done once per key, even when its process dies between the work and its answer:
-- what it makes carries the operation's id, so that a repeat finds what was made and goes on from there.

alter table idempotency_key
  add operation text not null default replace(gen_random_uuid()::text, '-', ''),
  -- Who does the work now, and their last sign of life: a claim that falls silent is taken over.
  add claim text not null default '',
  add claimed_at timestamptz not null default now();

alter table idempotency_key alter operation drop default, alter claim drop default;

-- The operation that used a traffic code; null: one without a key, or an invoice.
alter table promo_use add operation text;

-- The poller looks at what is open, and at what the last thirty days brought.
drop index invoice_at_processor;
create index invoice_at_processor on invoice (created_at) where external_id is not null;
