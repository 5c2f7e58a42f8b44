"""Names that would be scripts, where they were not escaped."""

SCRIPT = "<script>document.title='hacked'</script>"
IMAGE = "<img src=x onerror=\"document.title='hacked'\">"
BREAKOUT = "\"'></svg></style></title><script>document.title='hacked'</script>"
