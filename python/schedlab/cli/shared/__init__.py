"""What commands share: their options, and how answers look in a terminal."""
