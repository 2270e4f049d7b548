"""The paper's figures (section 6.3), and what they leave out: `quorate figures`."""
