"""The studio: a page on the owner's own machine, from a private file to a release that can be handed over.

It does nothing that the command line does not do. Every step writes down what a person typed and runs the command that it
shows, in a process of its own; so the page and the command line cannot differ, and a studio that is closed, restarted or killed
loses nothing. Read in this order: `workspace` (the files, and what was typed), `fields` (from registered options to forms),
`jobs` (commands that run), `comparison` (the commands themselves, and forecasts of all methods), `guard` (who may ask), `pages`
and `app` (the pages).
"""
