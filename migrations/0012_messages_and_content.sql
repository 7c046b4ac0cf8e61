-- Customers in Telegram, letters, and what the operator publishes.

create table telegram_identity (
  telegram_user_id bigint primary key check (telegram_user_id > 0),
  account_id bigint not null unique references account (id),
  linked_at timestamptz not null default now(),
  signed_in_at timestamptz,
  tells_of_sign_ins boolean not null default true
);
comment on table telegram_identity is 'The Telegram user that an account belongs to.';
comment on column telegram_identity.telegram_user_id is
  'Telegram''s id of the user, which is also the id of their private chat with the bot.';
comment on column telegram_identity.signed_in_at is 'The last sign-in to the site with a code of the bot.';
comment on column telegram_identity.tells_of_sign_ins is 'Whether the bot sends a message about each sign-in by password.';

create table telegram_code (
  account_id bigint primary key references account (id),
  code_hmac bytea not null unique check (length(code_hmac) = 32),
  expires_at timestamptz not null
);
comment on table telegram_code is
  'Six digits that the bot gives and the site accepts once. An account has one; a new code replaces it.';
comment on column telegram_code.code_hmac is
  'HMAC-SHA256 under a key of SECRET_KEY, since a bare hash of six digits is reversed by trying them all.';

create index telegram_code_expires on telegram_code (expires_at);

create table telegram_update (
  bot_id bigint not null,
  update_id bigint not null,
  chat_id bigint not null,
  at timestamptz not null,
  primary key (bot_id, update_id)
);
comment on table telegram_update is
  'An update that was handled. Telegram sends an update to every process that asks, until it is confirmed. The row is inserted '
  'in a transaction that lasts as long as the handling: a second process waits for it, and handles the update only if the '
  'first one died.';
comment on column telegram_update.bot_id is 'Each bot numbers its updates by itself.';

-- How many messages a chat has sent of late.
create index telegram_update_chat on telegram_update (bot_id, chat_id, at);
create index telegram_update_at on telegram_update (at);

create table mail (
  id uuid primary key,
  template text not null,
  language text not null check (language in ('ru', 'en')),
  recipient text not null,
  data jsonb,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  sent_at timestamptz,
  failed_at timestamptz,
  failure text,
  check (sent_at is null or failed_at is null),
  check ((failed_at is null) = (failure is null)),
  check ((data is null) = (sent_at is not null or failed_at is not null))
);
comment on table mail is
  'A letter: written in the transaction of the event that it reports, and sent afterwards by a job.';
comment on column mail.data is
  'What the template is filled with; null once the letter was sent or given up, since links and sums are not kept.';
comment on column mail.expires_at is 'After this the letter is not sent, since the link in it has expired.';

create index mail_created on mail (created_at);

create table content (
  part text primary key check (part in ('brand', 'links', 'rules', 'reviews', 'payments')),
  value jsonb not null check (jsonb_typeof(value) = 'object'),
  updated_at timestamptz not null default now()
);
comment on table content is
  'A part of the public texts that the operator has changed; the other parts are the program''s own.';

create table banner (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 200),
  link text not null check (length(link) between 1 and 2000),
  content_type text not null
    check (content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif')),
  bytes bytea not null check (length(bytes) between 1 and 1048576),
  position integer not null default 0,
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  check (ends_at > starts_at)
);
comment on table banner is 'A picture with a link, shown from starts_at until before ends_at; null is open.';
comment on column banner.name is 'The alternative text of the picture.';
comment on column banner.position is 'Banners are shown in ascending order.';

-- Pictures are compressed already.
alter table banner alter column bytes set storage external;
