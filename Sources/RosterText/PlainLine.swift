extension String {
    /// Whether a page can show the text within a line of its own texts. Such a text has 1 to `count` Unicode scalars, no space at its
    /// ends, and no control characters, line breaks, marks of direction or endless combining marks.
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
