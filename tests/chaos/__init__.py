"""The agent is killed, cut off, lied to and flooded; afterwards the journal, the wire and the arm must agree."""
