-- Letters go to addresses that an account no longer has, or does not have yet: its export and its erasure find
-- them by the account.
alter table mail add column account_id bigint;
comment on column mail.account_id is
  'Whom the letter is about; null: nobody had an account with this address. No foreign key: a letter is not to '
  'wait for the lock of an account.';
update mail m set account_id = a.id from account a where lower(a.email) = lower(m.recipient);
update mail m set account_id = c.account_id from email_change c
  where m.account_id is null and lower(m.recipient) in (lower(c.new_email), lower(c.old_email));
create index mail_account on mail (account_id) where account_id is not null;
