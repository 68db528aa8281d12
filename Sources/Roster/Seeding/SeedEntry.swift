/// An object in a list of a seed.
struct SeedEntry {
    struct Member {
        let name: String
        /// The line of the name.
        let nameLine: Int
        /// The value; nil for `null`.
        let value: AttributeValue?
        /// The line of the value.
        let line: Int
        /// The lines of the elements, if the value is a list.
        let elementLines: [Int]
    }
    /// The line on which the object begins.
    let line: Int
    /// The members in their order; nil if this is not an object.
    let members: [Member]?
}
