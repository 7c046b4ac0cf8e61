-- Named settings of the generator, and the secret links that answer with lines made of them.

create table preset (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  label text not null check (length(label) between 1 and 64),
  settings jsonb not null check (jsonb_typeof(settings) = 'object' and length(settings::text) <= 20000),
  link_sha256 bytea unique check (length(link_sha256) = 32),
  link_made_at timestamptz,
  link_used_at timestamptz,
  created_at timestamptz not null default now(),
  check ((link_sha256 is null) = (link_made_at is null)),
  check (link_sha256 is not null or link_used_at is null)
);
comment on table preset is 'Settings of the generator that a customer saved under a name.';
comment on column preset.settings is 'The input of the call get_proxy without the pool, as it was checked when saved.';
comment on column preset.link_sha256 is
  'Digest of the token of a secret link that answers with fresh lines; null: there is none.';
comment on column preset.link_used_at is 'When the link was last fetched, to within a minute.';

create unique index preset_label on preset (account_id, pool, lower(label));
