-- Until somebody chooses a language, the group has that of the member who asks for its code.
alter table alert_settings alter column language drop default, alter column language drop not null;
comment on column alert_settings.language is 'Of the messages in the group; null: nobody has chosen one.';
update alert_settings set language = null where not exists (select from alert_group);
