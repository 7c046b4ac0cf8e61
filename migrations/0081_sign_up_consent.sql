-- What people agree to when they sign up: docs/decisions/0042-consent-at-sign-up.md.

create table shown_document (
  sha256 bytea primary key check (length(sha256) = 32),
  document text not null check (document in ('terms', 'rules', 'personal_data')),
  language text not null check (language in ('ru', 'en')),
  title text not null,
  text text not null,
  is_draft boolean not null,
  kept_at timestamptz not null
);
comment on table shown_document is 'The texts that people have agreed to, word by word, each once. Append-only.';
comment on column shown_document.sha256 is 'Of the language, the title and the text, with a line feed after each.';
comment on column shown_document.is_draft is 'A legal page of which the operator had published no text yet: the program''s draft.';

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
  'What an account''s owner agreed to at sign-up, or at the first start of the bot. Append-only: an erasure may only empty the address and the browser.';
comment on column sign_up_consent.version is
  'The published version of the part of the public texts that said it; null: the part had never been published.';

create function sign_up_consent_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'consents are append-only: % of % is refused', tg_op, tg_table_name using errcode = 'restrict_violation';
end $$;
comment on function sign_up_consent_refuse() is 'Refuses the statement.';

create trigger append_only before update or delete or truncate on shown_document
  for each statement execute function sign_up_consent_refuse();
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
