"""HTTP on loopback: who may ask, and what is answered."""
