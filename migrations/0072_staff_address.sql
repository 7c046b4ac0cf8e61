-- Members of staff confirm the address to which alerts are mailed.

create table staff_address (
  staff_id bigint primary key references staff (id),
  email text not null,
  language text not null check (language in ('ru', 'en')),
  code_sha256 bytea not null,
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  tries smallint not null default 0 check (tries >= 0)
);
comment on table staff_address is 'An address that waits for the code of the letter to it. Until then the one of staff_alert, if any, is written to.';
comment on column staff_address.tries is 'Wrong codes; after five the code is no longer taken.';
