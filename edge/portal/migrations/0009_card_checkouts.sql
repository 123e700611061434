-- Checkouts of local mode that only save a card. A Worker of the version before still opens those that pay.
alter table test_checkouts add column purpose text not null default 'payment' check (purpose in ('payment', 'card'));
