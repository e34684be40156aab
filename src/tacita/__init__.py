"""Tacita publishes high-dimensional personal data without giving anyone away."""
