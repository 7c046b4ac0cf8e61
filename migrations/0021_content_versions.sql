-- The operator's public texts: drafts, and every version that was published.

alter table content drop constraint content_part_check;
alter table content add check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'payments'));

create table content_version (
  id bigint generated always as identity primary key,
  part text not null check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'payments')),
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  published_by text not null,
  restores bigint references content_version (id),
  published_at timestamptz not null
);
comment on table content_version is
  'What a part said from published_at on. Append-only: content has the value of the last version of a part.';
comment on column content_version.value is 'The fields that differ from the program''s own texts.';
comment on column content_version.published_by is 'The member of staff, or the user of the system, by the name of then.';
comment on column content_version.restores is 'The earlier version that was put in force again.';

create index content_version_part on content_version (part, id);

insert into content_version (part, value, published_by, published_at)
  select part, value, 'turnpike', updated_at from content order by updated_at;

create function content_version_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'published texts are append-only: % is refused', tg_op using errcode = 'restrict_violation';
end $$;
comment on function content_version_refuse() is 'Refuses the statement.';

create trigger append_only before update or delete or truncate on content_version
  for each statement execute function content_version_refuse();

create table content_draft (
  part text primary key check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'payments')),
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  edited_by text not null,
  edited_at timestamptz not null
);
comment on table content_draft is 'A part as it shall be: whole, checked, and not yet public.';
