-- Where customers signed up, and when they last signed in.

alter table account
  add column sign_up_country text check (sign_up_country ~ '^[A-Z]{2}$'),
  add column signed_in_at timestamptz;
comment on column account.sign_up_country is
  'ISO 3166-1 code, as the operator''s reverse proxy gave it at the sign-up (COUNTRY_HEADER); null: not known.';
comment on column account.signed_in_at is 'The last sign-in at the site, by password or Telegram code.';

create index account_country on account (sign_up_country, id desc) where sign_up_country is not null;

update account a set signed_in_at = s.created_at
  from (select account_id, max(created_at) as created_at from session group by account_id) s where s.account_id = a.id;
