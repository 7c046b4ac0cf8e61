-- Which accesses a gateway has leased: only of those it may send records of connections. Open leases have an index of their own, which
-- charges and grants use. A lease changes its indexes only when it is closed, so this one costs no charge anything.
create index lease_closed_of on lease (subuser_id, gateway) where closed_at is not null;
