import Testing

@Suite struct PlaceholderSignIn {}
