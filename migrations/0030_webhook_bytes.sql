-- Of a notification that is not genuine only the beginning is kept, and of all of them together so many bytes of each
-- method: see payments/events.ts.
alter table webhook_event
  -- How long the body was when it came.
  add body_bytes integer;

update webhook_event set
  body_bytes = octet_length(body),
  body = case when verdict = 'forged' then substring(body from 1 for 4096) else body end;

alter table webhook_event alter body_bytes set not null;

create index webhook_event_forged on webhook_event (method) where verdict = 'forged';

-- What an account may have open at once is counted whenever an invoice is made.
create index invoice_open on invoice (account_id) where state = 'pending';
