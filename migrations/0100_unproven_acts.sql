-- What acts of staff were worth that were done without a fresh second factor: their sum in 24 hours is bounded.

alter table audit_entry
  add column unproven_micros bigint check (unproven_micros >= 0),
  add column unproven_bytes bigint check (unproven_bytes >= 0),
  add column unproven_of text,
  add constraint audit_entry_unproven check (
    num_nonnulls(unproven_micros, unproven_bytes) = 0 and unproven_of is null or staff_id is not null);
comment on column audit_entry.unproven_micros is
  'The money of an act that a member did without a fresh second factor; null: none, or the factor was fresh.';
comment on column audit_entry.unproven_bytes is 'The same of given traffic.';
comment on column audit_entry.unproven_of is
  'What the money belongs to, where several acts concern the same: it counts once. Null: this act alone.';

create index audit_entry_unproven on audit_entry (staff_id, at)
  where unproven_micros is not null or unproven_bytes is not null;
