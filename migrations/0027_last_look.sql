-- When a processor was last asked about an invoice, and answered, after the days in which late money usually comes. Apart
-- from checked_at, which is noted before the question: a look that failed must be had again.
alter table invoice add last_looked_at timestamptz;
