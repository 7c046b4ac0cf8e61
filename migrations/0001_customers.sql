-- Customers: accounts, sessions and devices, the links that letters carry, changes of the e-mail address, and
-- the attempts by which guessing is limited.

create table account (
  id bigint generated always as identity primary key,
  username text,
  username_key text unique,
  email text,
  email_key text unique,
  email_confirmed_at timestamptz,
  password_hash text,
  lang text not null default 'rus' check (lang in ('rus', 'eng')),
  ref_code text not null unique,
  invited_by bigint references account (id),
  admin_referral_code text,
  pers_percent_ppm integer not null default 0 check (pers_percent_ppm between 0 and 1000000),
  blocked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  blocked_until timestamptz,
  blocked_reason text,
  tells_blocked_reason boolean not null default false,
  seen_at timestamptz,
  erasure_asked_at timestamptz,
  erased_at timestamptz,
  is_test boolean not null default false,
  sign_up_country text check (sign_up_country ~ '^[A-Z]{2}$'),
  signed_in_at timestamptz,
  tells_of_devices boolean not null default true,
  check ((username is null) = (username_key is null)),
  check ((email is null) = (email_key is null)),
  constraint account_block check (
    blocked_at is not null or (blocked_until is null and blocked_reason is null and not tells_blocked_reason)),
  constraint account_erased check (
    erased_at is null
    or num_nonnulls(username, email, password_hash, blocked_reason, erasure_asked_at) = 0 and blocked_at is not null)
);
comment on table account is 'A customer. The people behind the shop are in staff.';
comment on column account.username_key is
  'The user name in NFKC and lower case; names are compared in this form.';
comment on column account.email_key is
  'The address in NFKC and lower case; addresses are compared in this form.';
comment on column account.password_hash is
  'argon2id in PHC format; null: the Telegram bot made the account, and no password was set.';
comment on column account.lang is 'The language, as the wire spells it.';
comment on column account.ref_code is 'The code in the links with which this account invites others.';
comment on column account.admin_referral_code is
  'The campaign of the operator that brought this account; see the view campaign.';
comment on column account.pers_percent_ppm is
  'The share of an invited account''s payments that this account earns, in parts per million; 0: the default '
  'of referral_terms.';
comment on column account.blocked_until is 'When the block ends by itself; null: not by itself.';
comment on column account.tells_blocked_reason is
  'Whether the customer is told the reason when their sign-in is refused.';
comment on column account.seen_at is 'The last use of a session, to a quarter of an hour.';
comment on column account.erasure_asked_at is
  'When the customer asked to have their data erased; null: they did not, or took it back.';
comment on column account.erased_at is
  'When the data of the person was erased. What the books have to keep stays under the number of the '
  'account, which is blocked for ever.';
comment on column account.is_test is
  'The account of test purchases: nobody signs in to it, and what it buys is no sale.';
comment on column account.sign_up_country is
  'ISO 3166-1 code, as the operator''s reverse proxy gave it at the sign-up (COUNTRY_HEADER); null: not '
  'known.';
comment on column account.signed_in_at is 'The last sign-in at the site, by password or Telegram code.';
comment on column account.tells_of_devices is
  'A letter tells of a sign-in from a new device, network or country.';

create index account_invited_by on account (invited_by) where invited_by is not null;
create index account_blocked_until on account (blocked_until) where blocked_until is not null;
create index account_created on account (created_at);
create index account_erasure_asked on account (erasure_asked_at) where erasure_asked_at is not null;
create unique index account_test on account (is_test) where is_test;
-- In the order of the list: those who were never here come last.
create index account_seen on account ((coalesce(seen_at, '-infinity'::timestamptz)) desc, id desc);
-- In the order of the list by state, as desk.search.ts writes it: what waits for somebody comes first.
create index account_state on account ((case when erasure_asked_at is not null and erased_at is null then 0
  when erased_at is not null then 4 when blocked_at is not null then 1
  when email is not null and email_confirmed_at is null then 2 else 3 end), id);
create index account_campaign on account (admin_referral_code, id) where admin_referral_code is not null;
create index account_country on account (sign_up_country, id desc) where sign_up_country is not null;

create table account_device (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  network text not null,
  country text not null,
  name text,
  first_at timestamptz not null,
  last_at timestamptz not null,
  unique (account_id, secret_sha256, network, country)
);
comment on table account_device is
  'What an account was signed in to from: a browser, by the secret in its cookie for this account, with a '
  'network and a country.';
comment on column account_device.network is 'The /16 of an IPv4 address, the /32 of an IPv6 one.';
comment on column account_device.country is 'ISO 3166-1; empty: not known.';
comment on column account_device.name is
  'Browser and system as derived from the User-Agent field, for people to read; null: not known.';

create table team_member (
  team_id bigint not null references account (id),
  member_id bigint not null references account (id),
  role text not null check (role in ('admin', 'billing', 'proxies', 'viewer')),
  joined_at timestamptz not null,
  primary key (team_id, member_id),
  check (team_id <> member_id)
);
comment on table team_member is
  'A customer who may act on the account of another, within a role.';
comment on column team_member.team_id is 'The account that is acted on; its owner is the account itself.';

create index team_member_member on team_member (member_id);

create table team_invitation (
  id bigint generated always as identity primary key,
  team_id bigint not null references account (id),
  email text not null,
  email_key text not null,
  role text not null check (role in ('admin', 'billing', 'proxies', 'viewer')),
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  unique (team_id, email_key)
);
comment on table team_invitation is
  'An invitation by letter to a team, not accepted yet. The token itself is in the letter only.';
comment on column team_invitation.email_key is
  'Only an account that has confirmed this address may accept the invitation.';

create index team_invitation_email on team_invitation (email_key);
create index team_invitation_expires on team_invitation (expires_at);

create table team_act (
  id bigint generated always as identity primary key,
  team_id bigint not null references account (id),
  member_id bigint not null references account (id),
  at timestamptz not null,
  call text not null,
  ip text
);
comment on table team_act is 'A call by which a member changed something on the account of a team.';
comment on column team_act.ip is 'The address of the member; null: their data was erased.';

create index team_act_team on team_act (team_id, id);
create index team_act_member on team_act (member_id);
create index team_act_time on team_act (at);

create table session (
  token_sha256 bytea primary key check (length(token_sha256) = 32),
  account_id bigint not null references account (id),
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  id bigint generated always as identity unique,
  ip text,
  user_agent text,
  country text,
  proved_at timestamptz,
  totp_sealed bytea,
  factor_at timestamptz,
  device_id bigint references account_device (id) on delete set null,
  acts_on bigint,
  constraint session_member foreign key (acts_on, account_id) references team_member (team_id, member_id)
    on delete set null (acts_on)
);
comment on table session is 'A sign-in to the site. The token itself is known to the browser only.';
comment on column session.ip is 'The address of the sign-in.';
comment on column session.country is 'The country of that address, ISO 3166-1; null: not known.';
comment on column session.proved_at is
  'When the owner was last proved by this session: at the sign-in, and by the second factor or the password '
  'later.';
comment on column session.totp_sealed is 'A TOTP secret that is being set up, sealed.';
comment on column session.factor_at is 'When a second factor was last used in this session; null: never.';
comment on column session.device_id is
  'The device, network and country of the sign-in, or of the last proof of the owner; null: forgotten.';

comment on column session.acts_on is
  'The account of a team on which a member acts in this session; null: their own. It ends with the membership.';

create index session_account on session (account_id);
create index session_acts_on on session (acts_on) where acts_on is not null;
create index session_expires on session (expires_at);
create index session_device on session (device_id) where device_id is not null;

create table sign_in (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  at timestamptz not null,
  ip text not null,
  way text not null check (way in ('password', 'telegram', 'passkey'))
);
comment on table sign_in is
  'The last sign-ins of each account with their addresses, as evidence in a dispute. Kept for as long as the '
  'settings say.';

create index sign_in_of_account on sign_in (account_id, id);
create index sign_in_time on sign_in (at);

create table account_token (
  token_sha256 bytea primary key check (length(token_sha256) = 32),
  kind text not null check (kind in ('confirm_email', 'reset_password', 'download_data')),
  account_id bigint not null references account (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table account_token is
  'The token in the link of a letter, which proves access to the mailbox, or of a download of one''s data. '
  'It is used once; the token itself is not stored.';

create index account_token_account on account_token (account_id);
create index account_token_expires on account_token (expires_at);

create table email_change (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  new_email text not null,
  new_email_key text not null,
  confirm_sha256 bytea unique check (length(confirm_sha256) = 32),
  asked_at timestamptz not null,
  confirm_by timestamptz not null,
  confirmed_at timestamptz,
  old_email text,
  old_email_key text,
  undo_sha256 bytea unique check (length(undo_sha256) = 32),
  undo_by timestamptz,
  new_confirmed_at timestamptz,
  old_sha256 bytea unique check (length(old_sha256) = 32),
  old_answer_by timestamptz,
  old_approved_at timestamptz,
  check (old_approved_at is null or old_answer_by is not null)
);
comment on table email_change is
  'A change of an account''s e-mail address: asked for, or made while it can still be undone.';
comment on column email_change.confirm_sha256 is
  'SHA-256 of the token in the letter to the new address; null: no letter was sent yet, or the address '
  'belongs to another account.';
comment on column email_change.old_email is 'The confirmed address before the change; null: there was none.';
comment on column email_change.undo_sha256 is 'SHA-256 of the token in the letter to the old address.';
comment on column email_change.new_confirmed_at is
  'When the link to the new address was followed, where the old one was waited for.';
comment on column email_change.old_sha256 is 'SHA-256 of the token in the letter that asks the old address.';
comment on column email_change.old_answer_by is
  'Until then the old address is waited for, after it its silence is consent; null: it is not asked.';
comment on column email_change.old_approved_at is 'When the old address has agreed; null: it has not.';

create unique index email_change_pending on email_change (account_id) where confirmed_at is null;
create index email_change_account on email_change (account_id);
create index email_change_old on email_change (old_email_key) where undo_by is not null;
create index email_change_waiting on email_change (old_answer_by)
  where confirmed_at is null and new_confirmed_at is not null;

create table attempt (
  id bigint generated always as identity primary key,
  kind text not null,
  subject text not null,
  at timestamptz not null default now()
);
comment on table attempt is
  'An attempt at something that is limited, such as a sign-in, counted over a sliding window by all '
  'processes together. It is counted before it is judged and removed when it succeeds.';
comment on column attempt.kind is 'What was attempted; each kind has a limit of its own.';
comment on column attempt.subject is
  'What the attempts are counted by, such as an account or the network of a client.';

create index attempt_subject on attempt (kind, subject, at);
