-- Gateways keep for a while what they were told about places. They hear of it when an inventory comes, goes or is renamed,
-- by whatever road: an import, a removal, an exit that takes its inventory with it.
create function inventory_source_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('turnpike_feed', '{"type":"places_changed"}');
  return null;
end $$;

create trigger inventory_source_changed after insert or update or delete on inventory_source
  for each statement execute function inventory_source_changed();
