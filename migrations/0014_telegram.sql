-- Customers in Telegram: who is who there, the codes they sign in to the site with, and the updates already handled.

create table telegram_identity (
  -- Telegram's id of the person; it also is the id of their private chat with the bot.
  telegram_user_id bigint primary key check (telegram_user_id > 0),
  account_id bigint not null unique references account (id),
  linked_at timestamptz not null default now(),
  -- The last sign-in to the site by a code of the bot.
  signed_in_at timestamptz
);

-- Six digits that the bot gives and the site takes once. One row a person: a new code replaces the old one.
create table telegram_code (
  account_id bigint primary key references account (id),
  -- HMAC-SHA256 under a key of SECRET_KEY: a bare hash of six digits is undone by trying them all.
  code_hmac bytea not null unique check (length(code_hmac) = 32),
  expires_at timestamptz not null
);

create index telegram_code_expires on telegram_code (expires_at);

-- Telegram sends an update until it is confirmed, to whichever process asks. A row is inserted in a transaction that
-- lasts as long as the handling: a second process waits for it, and takes over only if the first one died.
create table telegram_update (
  -- Another bot counts its updates anew.
  bot_id bigint not null,
  update_id bigint not null,
  chat_id bigint not null,
  at timestamptz not null,
  primary key (bot_id, update_id)
);

-- How much one chat has said of late.
create index telegram_update_chat on telegram_update (bot_id, chat_id, at);
create index telegram_update_at on telegram_update (at);
