extension FilterCompiler {
    /// The indexes of the attributes of users or of roles.
    struct Layout: Sendable {
        let table: String
        let columns: [AttributeName: String]
        let textColumns: [AttributeName: String]
        let hasValueTable: Bool

        static let user = Layout(
            table: "users",
            columns: Dictionary(uniqueKeysWithValues: UserKeys.columns.map { ($0.attribute, $0.column) })
                .merging(["uid": "name_key"]) { $1 },
            textColumns: UserKeys.textColumns, hasValueTable: true)
        static let role = Layout(
            table: "role",
            columns: ["name": "name_key", "displayName": "display_name_key", "description": "description_key"],
            textColumns: [:], hasValueTable: false)
    }
}
