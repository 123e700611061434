-- Which pack a checkout of local mode is for. A Worker of the version before still opens checkouts of the one pack there was.
alter table test_checkouts add column credits integer not null default 1000;
