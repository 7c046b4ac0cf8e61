-- Charges that a processor did not take since it did not let the shop in are looked for every minute.

create index top_up_charge_ended on top_up_charge (method, ended_at) where ended_at is not null;
create index top_up_charge_denied on top_up_charge (ended_at) where reason = 'shop_denied';
