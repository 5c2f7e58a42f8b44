mod deleted;
mod kept_rows;
mod key_index;
mod keys;
mod row_hashes;
