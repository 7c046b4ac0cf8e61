-- What the operator says to the public: brand, links, rules, reviews, the words on payment methods, banners.

-- One row per part that the operator has changed; a part without a row has the program's own words.
create table content (
  part text primary key check (part in ('brand', 'links', 'rules', 'reviews', 'payments')),
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  updated_at timestamptz not null default now()
);

create table banner (
  id bigint generated always as identity primary key,
  -- Read out where the picture cannot be seen.
  name text not null check (length(name) between 1 and 200),
  link text not null check (length(link) between 1 and 2000),
  content_type text not null
    check (content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif')),
  bytes bytea not null check (length(bytes) between 1 and 1048576),
  -- Small numbers first.
  position integer not null default 0,
  -- Shown from … until, the end excluded; null is open.
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  check (ends_at > starts_at)
);

-- Pictures are compressed already.
alter table banner alter column bytes set storage external;
