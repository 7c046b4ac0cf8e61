-- Lists of the desk that members of staff save.

create table staff_view (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff (id) on delete cascade,
  page text not null check (length(page) between 1 and 40),
  name text not null check (length(name) between 1 and 60),
  query text not null check (length(query) <= 2000),
  created_at timestamptz not null default now(),
  unique (staff_id, page, name)
);
comment on table staff_view is 'A list of the desk as a member of staff saved it: filters, order and search, as in the address.';
