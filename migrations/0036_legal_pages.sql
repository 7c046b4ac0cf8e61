-- A part more of the operator's public texts: the legal pages.

alter table content drop constraint content_part_check;
alter table content add check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'legal', 'payments'));

alter table content_version drop constraint content_version_part_check;
alter table content_version
  add check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'legal', 'payments'));

alter table content_draft drop constraint content_draft_part_check;
alter table content_draft
  add check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'legal', 'payments'));
