-- Money that a processor has returned in another currency than that of the invoice, without telling what it is worth there.

alter table processor_refund drop constraint processor_refund_state_check;
alter table processor_refund add constraint processor_refund_state_check
  check (state in ('waiting', 'counted', 'own', 'failed', 'reversed', 'unclear'));
comment on column processor_refund.state is
  'waiting: the processor has not sent it. counted: it is in the books. own: it is the one of payment_refund, which was in the books '
  'before. failed: it was never sent. reversed: it was counted, and the money came back. unclear: it was sent in another currency, and '
  'an operator has to say what of the invoice it returned.';
comment on column processor_refund.amount_micros is
  'Millionths of `currency`: the one in which the processor collects, but for a refund that is or was unclear.';

create index processor_refund_unclear on processor_refund (invoice_id) where state = 'unclear';
