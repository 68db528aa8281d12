extension String {
    /// Whether the text is a line that a page can show beside others: 1 to `count` scalars without control characters, line breaks,
    /// marks of direction and endless combining marks, and without spaces around it.
    package func isPlainLine(ofAtMost count: Int) -> Bool {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
            // Marks of direction would turn the text around a name around.
            case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
            default: true
            }
        }
        return isPlain && (1...count).contains(unicodeScalars.count) && !hasEndlessMarks
            && first?.isWhitespace == false && last?.isWhitespace == false
    }
}
