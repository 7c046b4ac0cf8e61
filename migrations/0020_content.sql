-- The operator's public texts with their drafts and every version that was published, pictures, and what
-- people agree to when they sign up: docs/decisions/0042-consent-at-sign-up.md.

create table content (
  part text primary key check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'legal', 'payments', 'seller', 'notice')),
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  updated_at timestamptz not null default now()
);
comment on table content is
  'A part of the public texts that the operator has changed; the other parts are the program''s own.';

create table content_version (
  id bigint generated always as identity primary key,
  part text not null check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'legal', 'payments', 'seller', 'notice')),
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  published_by text not null,
  restores bigint references content_version (id),
  published_at timestamptz not null
);
comment on table content_version is
  'What a part said from published_at on. Append-only: content has the value of the last version of a part.';
comment on column content_version.value is 'The fields that differ from the program''s own texts.';
comment on column content_version.published_by is
  'The member of staff, or the user of the system, by the name of then.';
comment on column content_version.restores is 'The earlier version that was put in force again.';

create index content_version_part on content_version (part, id);

create function content_version_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'published texts are append-only: % is refused', tg_op using errcode = 'restrict_violation';
end $$;
comment on function content_version_refuse() is 'Refuses the statement.';

create trigger append_only before update or delete or truncate on content_version
  for each statement execute function content_version_refuse();

create table content_draft (
  part text primary key check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'legal', 'payments', 'seller', 'notice')),
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  edited_by text not null,
  edited_at timestamptz not null
);
comment on table content_draft is 'A part as it shall be: whole, checked, and not yet public.';

create table banner (
  id bigint generated always as identity primary key,
  alt_ru text not null check (length(alt_ru) between 1 and 300),
  alt_en text not null check (length(alt_en) between 1 and 300),
  link text not null check (length(link) between 1 and 2000),
  content_type text not null
    check (content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif')),
  bytes bytea not null check (length(bytes) between 1 and 1048576),
  position integer not null default 0,
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  version integer not null default 1 check (version > 0),
  check (ends_at > starts_at)
);
comment on table banner is 'A picture with a link, shown from starts_at until before ends_at; null is open.';
comment on column banner.alt_ru is 'The text alternative of the picture on pages in Russian.';
comment on column banner.alt_en is 'The text alternative of the picture on pages in English.';
comment on column banner.version is 'One more with each change: an edit of an older version is refused.';
comment on column banner.position is 'Banners are shown in ascending order.';

-- Pictures are compressed already.
alter table banner alter column bytes set storage external;

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
  'A picture of the brand, as it is served. Versions and drafts of the brand name it by its file; one that '
  'none of them names is dropped a day after it was uploaded.';
comment on column brand_picture.file is
  'The SHA-256 of the bytes and what they are: a name stands for one picture forever.';

-- One picture may be uploaded again, but never becomes another one.
create function brand_picture_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'a picture of the brand does not change' using errcode = 'restrict_violation';
end $$;
comment on function brand_picture_refuse() is 'Refuses the statement.';

create trigger unchanged before update of file, content_type, bytes, width, height on brand_picture
  for each row execute function brand_picture_refuse();

create table shown_document (
  sha256 bytea primary key check (length(sha256) = 32),
  document text not null check (document in ('terms', 'rules', 'personal_data')),
  language text not null check (language in ('ru', 'en')),
  title text not null,
  text text not null,
  is_draft boolean not null,
  kept_at timestamptz not null
);
comment on table shown_document is
  'The texts that people have agreed to, word by word, each once. Append-only.';
comment on column shown_document.sha256 is
  'Of the language, the title and the text, with a line feed after each.';
comment on column shown_document.is_draft is
  'A legal page of which the operator had published no text yet: the program''s draft.';

create function sign_up_consent_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'consents are append-only: % of % is refused', tg_op, tg_table_name using errcode = 'restrict_violation';
end $$;
comment on function sign_up_consent_refuse() is 'Refuses the statement.';

create trigger append_only before update or delete or truncate on shown_document
  for each statement execute function sign_up_consent_refuse();

create table sign_up_consent (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  document text not null check (document in ('terms', 'rules', 'personal_data')),
  sha256 bytea not null references shown_document (sha256),
  version bigint references content_version (id),
  way text not null check (way in ('site', 'telegram')),
  given_at timestamptz not null,
  ip text,
  user_agent text,
  unique (account_id, document, sha256)
);
comment on table sign_up_consent is
  'What an account''s owner agreed to at sign-up, or at the first start of the bot. Append-only: an erasure '
  'may only empty the address and the browser.';
comment on column sign_up_consent.version is
  'The published version of the part of the public texts that said it; null: the part had never been '
  'published.';

create trigger append_only before delete or truncate on sign_up_consent
  for each statement execute function sign_up_consent_refuse();

create function sign_up_consent_forget_only() returns trigger language plpgsql as $$
begin
  if new.ip is null and new.user_agent is null
    and to_jsonb(new) - '{ip,user_agent}'::text[] = to_jsonb(old) - '{ip,user_agent}'::text[] then
    return new;
  end if;
  raise exception 'consents are append-only: % is refused', tg_op using errcode = 'restrict_violation';
end $$;
comment on function sign_up_consent_forget_only() is
  'Refuses every change but one: the address and the browser are removed.';

create trigger forget_only before update on sign_up_consent
  for each row execute function sign_up_consent_forget_only();
