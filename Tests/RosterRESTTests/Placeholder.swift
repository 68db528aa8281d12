import Testing

@Suite struct PlaceholderREST {}
