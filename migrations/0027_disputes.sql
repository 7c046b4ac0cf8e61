-- What a processor tells of a dispute: how it stands, and until when it has to be answered.

alter table invoice
  add column dispute_state text check (dispute_state in ('needs_response', 'under_review', 'won', 'lost')),
  add column dispute_respond_by timestamptz,
  add constraint invoice_dispute check (disputed_at is not null or num_nonnulls(dispute_state, dispute_respond_by) = 0);
comment on column invoice.dispute_state is 'How the dispute stands, as the processor last told; null: it does not tell.';
comment on column invoice.dispute_respond_by is 'Until when the processor takes an answer to the dispute; null: it does not tell.';
