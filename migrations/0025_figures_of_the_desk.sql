-- What the operator's desk counts for Today, and lists besides the newest: a scan of a million invoices takes a second.

create index invoice_settled on invoice (settled_at) where settled_at is not null;
create index invoice_disputed on invoice (id) where disputed_at is not null;
create index invoice_without_traffic on invoice (id) where state = 'paid' and credited_bytes = 0;
create index account_created on account (created_at);
create index invoice_created on invoice (created_at);
