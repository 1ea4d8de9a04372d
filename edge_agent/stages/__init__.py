"""What the pipeline does with one request, a stage a module; none calls the one before it."""
