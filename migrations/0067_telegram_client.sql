-- What a conversation with the bot waits for, and a cap that is raised for one day: docs/decisions/0039-telegram-as-a-client.md.

alter table telegram_identity
  add column asked text check (length(asked) between 1 and 64),
  add column asked_at timestamptz,
  add check ((asked is null) = (asked_at is null));
comment on column telegram_identity.asked is
  'What the next message of the person answers, as the data of a button; null: nothing was asked.';

alter table pool_limits
  add column raised_day date,
  add column raised_bytes bigint check (raised_bytes > 0),
  add check ((raised_day is null) = (raised_bytes is null));
comment on column pool_limits.raised_day is 'The UTC day on which raised_bytes are added to day_bytes.';
