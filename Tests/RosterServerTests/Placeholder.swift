import Testing

@Suite struct PlaceholderServer {}
