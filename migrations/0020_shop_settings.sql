-- Settings that staff change while the shop runs. A row is one change; the last one of a name is in force.

create table shop_setting (
  id bigint generated always as identity primary key,
  name text not null check (name ~ '^[a-z][a-z0-9_]{0,63}$'),
  value bigint,
  changed_by text not null,
  reason text,
  changed_at timestamptz not null
);
comment on table shop_setting is 'A change of a setting. Append-only: the last row of a name is in force, the others are its history.';
comment on column shop_setting.value is
  'In the unit of contract/desk/shop-settings.ts; null: the default of the program again.';
comment on column shop_setting.changed_by is 'The member of staff, or the user of the system, by the name of then.';

create index shop_setting_name on shop_setting (name, id);

create function shop_setting_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the history of settings is append-only: % is refused', tg_op using errcode = 'restrict_violation';
end $$;
comment on function shop_setting_refuse() is 'Refuses the statement.';

create trigger append_only before update or delete or truncate on shop_setting
  for each statement execute function shop_setting_refuse();
