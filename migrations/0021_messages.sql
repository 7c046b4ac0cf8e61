-- Customers in Telegram, letters, and notices to customers about their traffic.

create table telegram_identity (
  telegram_user_id bigint primary key check (telegram_user_id > 0),
  account_id bigint not null unique references account (id),
  linked_at timestamptz not null default now(),
  signed_in_at timestamptz,
  tells_of_sign_ins boolean not null default true,
  asked text check (length(asked) between 1 and 64),
  asked_at timestamptz,
  check ((asked is null) = (asked_at is null))
);
comment on table telegram_identity is 'The Telegram user that an account belongs to.';
comment on column telegram_identity.telegram_user_id is
  'Telegram''s id of the user, which is also the id of their private chat with the bot.';
comment on column telegram_identity.signed_in_at is 'The last sign-in to the site with a code of the bot.';
comment on column telegram_identity.tells_of_sign_ins is
  'Whether the bot sends a message about each sign-in by password.';
comment on column telegram_identity.asked is
  'What the next message of the person answers, as the data of a button; null: nothing was asked.';

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
  'An update that was handled. Telegram sends an update to every process that asks, until it is confirmed. '
  'The row is inserted in a transaction that lasts as long as the handling: a second process waits for it, '
  'and handles the update only if the first one died.';
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
  'What the template is filled with; null once the letter was sent or given up, since links and sums are not '
  'kept.';
comment on column mail.expires_at is 'After this the letter is not sent, since the link in it has expired.';

create index mail_created on mail (created_at);
-- The letters to a customer.
create index mail_recipient on mail (lower(recipient), created_at);
-- The letters that were neither sent nor given up.
create index mail_waiting on mail (created_at) where sent_at is null and failed_at is null;

create table telegram_support (
  group_chat_id bigint not null,
  message_id bigint not null check (message_id > 0),
  telegram_user_id bigint not null references telegram_identity (telegram_user_id) on delete cascade,
  at timestamptz not null,
  primary key (group_chat_id, message_id)
);
comment on table telegram_support is
  'Whose message a message of the bot in the group of the staff carries. The text is in Telegram only.';

create index telegram_support_user on telegram_support (telegram_user_id);
create index telegram_support_at on telegram_support (at);

create table notice_off (
  account_id bigint not null references account (id),
  kind text not null check (kind in ('traffic', 'cap', 'topup', 'trouble', 'bill')),
  via text not null check (via in ('email', 'telegram')),
  primary key (account_id, kind, via)
);
comment on table notice_off is 'The notices that a customer has switched off.';

create table bill_told (
  account_id bigint not null references account (id),
  month date not null check (extract(day from month) = 1),
  line bigint not null,
  told_at timestamptz not null,
  primary key (account_id, month)
);
comment on table bill_told is
  'The monthly letters about bills: each month of a customer is told once, also where the customer has '
  'switched the letter off.';
comment on column bill_told.month is 'The last UTC month with lines when it was told.';
comment on column bill_told.line is 'The line whose hash it had.';

create table notice_threshold (
  account_id bigint primary key references account (id),
  bytes bigint not null check (bytes between 1000000 and 1000000000000000)
);
comment on table notice_threshold is
  'A notice is sent when less than this is left in a pool; set by the customer.';

create table notice_told (
  access_id bigint not null references meter (access_id),
  matter text not null check (matter in ('share', 'threshold', 'hour', 'day', 'month')),
  occasion text not null,
  level smallint not null default 1,
  told_at timestamptz not null,
  primary key (access_id, matter)
);
comment on table notice_told is 'The last notice of each matter: no crossing is told twice.';
comment on column notice_told.occasion is
  'The credit after which the balance fell, by its number, or the window of the cap; with the threshold or '
  'cap, where there is one.';
comment on column notice_told.level is 'Of `share`: 1 a fifth is left, 2 a twentieth, 3 nothing.';

create table mail_tested (
  server_sha256 bytea primary key check (length(server_sha256) = 32),
  tested_at timestamptz not null
);
comment on table mail_tested is
  'The mail server that last took a test letter of staff. There is one row at most.';
comment on column mail_tested.server_sha256 is
  'SHA-256 of its address, user and sender: with other settings, mail counts as not tested.';
