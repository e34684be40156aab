"""What every kind stands on: budgets, the ledger, exact noise, universes, releases. Imports nothing else of Tacita."""
