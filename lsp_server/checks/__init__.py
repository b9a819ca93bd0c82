"""What is asked of a finished text before anybody sees it, rule by rule; `review` puts the questions in their order."""
