-- Since when a gateway's signs of life have come without a gap. After an outage of the database nobody has been heard of for
-- a while: to a gateway whose own signs of life had a gap the silence of others proves nothing.
alter table gateway_boot add column heard_since timestamptz not null default now();

-- The last recall of an account's leases, and between how many gateways the rest is shared since then. Until paused_until nothing
-- is leased: what was given back is to be taken from the balance.
alter table meter
  add column recalled_at timestamptz,
  add column recalled_holders int not null default 0,
  add column paused_until timestamptz;
