-- A post or void names all images that were settled together, by their index in the batch: `0-5,7`. Lines from before name
-- one image each, in image_id.
alter table ledger_entries add column images text;
