mod deleted;
mod kept_rows;
