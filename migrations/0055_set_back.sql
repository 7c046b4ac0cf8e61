-- A database that has gone back in time: it had acknowledged more reports of a gateway than it knows of now. A failover to a
-- replica that had not received them does that, and so does a restored backup.
create table set_back (
  gateway text not null,
  boot text not null,
  -- The last report that was acknowledged, none before it missing, and the last that is settled.
  acknowledged bigint not null,
  settled_through bigint not null check (settled_through < acknowledged),
  noticed_at timestamptz not null default now(),
  -- When those that the gateway could not send again were given up.
  given_up_at timestamptz,
  primary key (gateway, boot, acknowledged)
);
