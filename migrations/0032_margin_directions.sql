-- Gateways report both directions together, so what a seller counts cannot be one of them.

alter table exit_cost drop column counts;
