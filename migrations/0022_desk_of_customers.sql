-- What the desk needs to look after customers: questions to gateways about open sessions, the letters to a customer.

create unlogged table session_question (
  id uuid primary key,
  asked_at timestamptz not null default now()
);
comment on table session_question is
  'Somebody at the desk looks at the open sessions of a customer: gateways are asked, and the row is deleted with their answers.';

create unlogged table session_answer (
  question_id uuid not null references session_question (id) on delete cascade,
  gateway text not null check (length(gateway) between 1 and 100),
  open integer not null check (open >= 0),
  sessions jsonb not null check (jsonb_typeof(sessions) = 'array'),
  primary key (question_id, gateway)
);
comment on table session_answer is 'What one worker of a gateway answered.';
comment on column session_answer.open is 'How many there are; sessions has the newest.';

-- The letters to a customer.
create index mail_recipient on mail (lower(recipient), created_at);

-- The codes of a customer.
create index promo_use_account on promo_use (account_id, promocode_id);
