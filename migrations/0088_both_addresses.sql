-- A change of the e-mail address is confirmed at the old address too, or the old one lets its time for an answer pass.

alter table email_change
  add column new_confirmed_at timestamptz,
  add column old_sha256 bytea unique check (length(old_sha256) = 32),
  add column old_answer_by timestamptz,
  add column old_approved_at timestamptz,
  add check (old_approved_at is null or old_answer_by is not null);
comment on column email_change.new_confirmed_at is 'When the link to the new address was followed, where the old one was waited for.';
comment on column email_change.old_sha256 is 'SHA-256 of the token in the letter that asks the old address.';
comment on column email_change.old_answer_by is
  'Until then the old address is waited for, after it its silence is consent; null: it is not asked.';
comment on column email_change.old_approved_at is 'When the old address has agreed; null: it has not.';

create index email_change_waiting on email_change (old_answer_by) where confirmed_at is null and new_confirmed_at is not null;
