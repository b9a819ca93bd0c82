"""What may be written: rules as immutable states (`protocol`), and one state that combines them (`state`)."""
