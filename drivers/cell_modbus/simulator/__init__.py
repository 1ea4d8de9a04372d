"""The simulated controller: own frames, own encoding, own process. Shares the register table with the driver only."""
