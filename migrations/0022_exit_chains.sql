-- What an exit that is another proxy needs besides its address.

alter table exit
  -- The seller whose login says what a line asks for; null: the same login for everybody.
  add column preset text check (preset ~ '^[a-z0-9_]{1,32}$'),
  -- Settings of the seller's own, by their names in the preset.
  add column options jsonb not null default '{}' check (jsonb_typeof(options) = 'object'),
  -- The proxy itself is spoken to over TLS.
  add column tls boolean not null default false,
  -- PEM: the authority that vouches for it; null: those of the system.
  add column tls_ca text,
  -- On every machine that runs gateways; null: as many as there are.
  add column max_connections integer check (max_connections between 1 and 1000000),
  -- Who looks up the names of targets; auto: the exit, unless it stands in a private network.
  add column names text not null default 'auto' check (names in ('auto', 'exit', 'gateway')),
  -- Requests to http:// addresses: through a tunnel, or forwarded as a proxy's client would.
  add column plain_http text not null default 'tunnel' check (plain_http in ('tunnel', 'forward')),
  -- host:port that a health check opens a tunnel to; null: a handshake with the exit is enough.
  add column probe_target text check (length(probe_target) between 3 and 300),
  add constraint exit_chains check (
    kind <> 'direct'
    or (preset is null and options = '{}' and not tls and tls_ca is null and names = 'auto' and probe_target is null)
  ),
  add constraint exit_options_of_a_preset check (preset is not null or options = '{}'),
  add constraint exit_authority_of_tls check (tls or tls_ca is null),
  add constraint exit_forwards_http check (kind = 'http' or plain_http = 'tunnel');
