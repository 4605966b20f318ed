"""Forms: expressions for the gaps of a formula that a user has given in part."""
