import Roster
import RosterREST

/// The names of attributes in the profiles of the mobile platform.
enum MobileNames {
    /// The names in this interface of attributes that every user has.
    static let names: [(name: String, attribute: AttributeName)] = [
        ("firstName", "givenName"), ("lastName", "familyName"), ("email", "mail"),
    ]
    /// The members of an answer that nobody can write. They are ignored in a request.
    static let passedOver: Set<String> = ["id", "username", "links", "attributes"]
}
