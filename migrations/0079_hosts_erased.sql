-- Hosts that were kept before a customer wished that none are: docs/decisions/0036-usage-and-the-bill.md.

alter table host_privacy add column erased_at timestamptz;
comment on column host_privacy.erased_at is
  'Since when no host of the time before is stored either; null: they are being erased. A job does it, also for wishes of earlier releases.';
