-- The files that inventories were imported from: the last ones of each source, so that an import can be taken back.

create table inventory_file (
  id bigint generated always as identity primary key,
  source text not null check (source ~ '^[a-z0-9_]{1,32}$'),
  rows bigint not null check (rows > 0),
  gzip bytea,
  imported_by text not null,
  imported_at timestamptz not null
);
comment on table inventory_file is
  'A file that was imported. The last three of a source are kept; the last one is what the source has, unless it was removed.';
comment on column inventory_file.gzip is 'Compressed by gzip (RFC 1952); null: it was too large to keep.';

create index inventory_file_source on inventory_file (source, id);

-- The file is compressed already.
alter table inventory_file alter column gzip set storage external;
