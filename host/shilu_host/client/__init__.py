"""What runs inside or beside an agent program: small files, standard library only, constant across
releases."""
