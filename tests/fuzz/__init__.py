"""Bad input by the thousand: every case must be refused in one line, or be a valid run."""
