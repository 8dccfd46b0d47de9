"""The command line: one file per subcommand, no logic in them. Heavy imports wait until a command runs."""
