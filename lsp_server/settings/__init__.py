"""What a person may set: the `table` of settings, the `files` that hold them and how to `edit` one.

`engine` and `workspace` turn settings into the options of those packages.
"""
