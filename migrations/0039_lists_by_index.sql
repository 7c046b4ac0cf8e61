-- Indexes that lists and reports of the desk lacked.

-- In the order of the list: those who were never here come last.
drop index account_seen;
create index account_seen on account ((coalesce(seen_at, '-infinity'::timestamptz)) desc, id desc);
create index account_campaign on account (admin_referral_code, id) where admin_referral_code is not null;

-- Invoices of a day are in the order of their times.
drop index invoice_created;
create index invoice_created on invoice (created_at, id);

-- The notifications with a verdict.
create index webhook_event_verdict on webhook_event (verdict, id);

-- The letters that were neither sent nor given up.
create index mail_waiting on mail (created_at) where sent_at is null and failed_at is null;

-- Records by their end, of which a list of the latest reads its page: the BRIN index finds blocks of a time, not the last before it.
-- Records come nearly in this order, so they are appended to the index's last page.
create index connection_record_end on connection_record (ended_at);
drop index connection_record_time;

-- The last refusals of an exit.
create index connection_record_refused_exit on connection_record (exit_id, ended_at) where code is not null;

-- What was posted in the time of a report.
create index ledger_transaction_posted on ledger_transaction (posted_at);
