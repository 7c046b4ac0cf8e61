-- Messages of customers to support, as they stand in the group of the staff: an answer to one goes back to its writer.

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
