"""The collections that experiments run on: real ones from the folder that TACITA_DATA names, and simulated stand-ins."""
