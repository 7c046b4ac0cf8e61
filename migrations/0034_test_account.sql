-- Test purchases: made by staff through the doors of customers, and no sales.

alter table account add column is_test boolean not null default false;
comment on column account.is_test is 'The account of test purchases: nobody signs in to it, and what it buys is no sale.';
create unique index account_test on account (is_test) where is_test;

alter table invoice add column is_test boolean not null default false;
comment on column invoice.is_test is 'Of the account of test purchases. Its money is posted as test_purchase and test_refund.';
create index invoice_test on invoice (id) where is_test;
