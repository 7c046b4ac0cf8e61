-- A member of staff sees the shop as one customer sees it, and changes nothing.

create table customer_view (
  id bigint generated always as identity primary key,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  staff_session_id bigint not null references staff_session (id) on delete cascade,
  account_id bigint not null references account (id) on delete cascade,
  created_at timestamptz not null,
  opened_at timestamptz,
  ends_at timestamptz not null
);
comment on table customer_view is
  'A read-only view of a customer''s account, made for a sign-in to the desk; it ends with that sign-in.';
comment on column customer_view.token_sha256 is
  'Of the link''s token until the link is used, then of the browser''s: a link works once.';
comment on column customer_view.opened_at is 'When the link was used; null: not yet.';
comment on column customer_view.ends_at is 'Of the link, then of the view.';

create index customer_view_session on customer_view (staff_session_id);
create index customer_view_account on customer_view (account_id);
create index customer_view_ends on customer_view (ends_at);
