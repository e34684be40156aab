"""Better counts from a noisy tree alone: what the papers call constrained inference, chosen by name."""
