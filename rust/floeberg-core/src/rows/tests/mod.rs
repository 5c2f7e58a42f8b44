mod deleted;
mod kept_rows;
mod keys;
