"""Examples of plug-ins. Each is a page of docs/plugins.md."""
