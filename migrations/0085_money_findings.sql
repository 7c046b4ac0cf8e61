-- Fees given back with a refund, fees of disputes that come again, cards by their identity, receipts that replace a cancelled one, and the
-- page that an alert leads to.

alter table processor_fee drop constraint processor_fee_check;
alter table processor_fee add constraint processor_fee_of_payment check (kind <> 'payment' or (amount_micros >= 0 and usd_micros >= 0));
comment on column processor_fee.subject is
  'The processor''s id of the payment or the refund; of a dispute with the place of this fee among those of the dispute, since they may be given back and taken again.';

alter table saved_method add column identity bytea check (length(identity) = 32);
comment on column saved_method.identity is
  'SHA-256 of what is the same when it is saved again: the processor''s fingerprint of the card, or its id of the method. Null: saved by a version that did not keep it.';
create unique index saved_method_identity on saved_method (account_id, method, identity) where identity is not null;

-- For the job that asks whether another receipt was made in place of a cancelled one.
create index receipt_cancelled on receipt (checked_at nulls first)
  where state = 'failed' and fault = 'cancelled' and registrar <> 'manual';

alter table alert add column page text check (page like '/%');
comment on column alert.page is 'The page of the desk that shows its subject; null: that of the kind.';
