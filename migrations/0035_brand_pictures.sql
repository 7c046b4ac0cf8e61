-- The pictures of the brand: logo and icon.

create table brand_picture (
  file text primary key check (file ~ '^[0-9a-f]{64}\.(svg|png|webp)$'),
  content_type text not null check (content_type in ('image/svg+xml', 'image/png', 'image/webp')),
  bytes bytea not null check (length(bytes) between 1 and 262144),
  width integer not null check (width between 1 and 1024),
  height integer not null check (height between 1 and 1024),
  uploaded_by text not null,
  uploaded_at timestamptz not null
);
comment on table brand_picture is
  'A picture of the brand, as it is served. Versions and drafts of the brand name it by its file; one that none of them names '
  'is dropped a day after it was uploaded.';
comment on column brand_picture.file is 'The SHA-256 of the bytes and what they are: a name stands for one picture forever.';

-- One picture may be uploaded again, but never becomes another one.
create function brand_picture_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'a picture of the brand does not change' using errcode = 'restrict_violation';
end $$;
comment on function brand_picture_refuse() is 'Refuses the statement.';

create trigger unchanged before update of file, content_type, bytes, width, height on brand_picture
  for each row execute function brand_picture_refuse();
