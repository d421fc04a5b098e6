"""Storage: Parquet files that are written whole or not at all, with their provenance inside."""
