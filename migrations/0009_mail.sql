-- Letters to people: written in the transaction of what they tell of, sent afterwards by a job.

create table mail (
  id uuid primary key,
  template text not null,
  language text not null check (language in ('ru', 'en')),
  recipient text not null,
  -- What the template is filled with. Gone once the letter is sent or given up: links and sums are not kept.
  data jsonb,
  created_at timestamptz not null default now(),
  -- After this the letter is not worth sending: its link has expired.
  expires_at timestamptz,
  sent_at timestamptz,
  failed_at timestamptz,
  failure text,
  check (sent_at is null or failed_at is null),
  check ((failed_at is null) = (failure is null)),
  check ((data is null) = (sent_at is not null or failed_at is not null))
);

create index mail_created on mail (created_at);
