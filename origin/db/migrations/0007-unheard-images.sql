-- Images of a batch that the edge failed without having heard what a node made of them: such a node may have completed one.
alter table batches add column unheard integer not null default 0 check (unheard >= 0);
