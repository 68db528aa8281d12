import RosterStore
import RosterText

/// A role's search keys.
struct RoleKeys {
    let name: Binding
    /// The key of the display name. It is the name's if there is no display name, so that searches find the role by it.
    let displayName: Binding
    let description: Binding

    init(_ name: String, _ attributes: AttributeSet) {
        self.name = .text(TextKey.of(name))
        displayName = .text(TextKey.sorting(attributes["displayName"]?.text ?? name))
        description = .text(attributes["description"]?.text.map(TextKey.sorting))
    }
}
