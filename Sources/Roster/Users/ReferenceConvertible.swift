/// A value that says which user is meant: a name, an identifier, a ``User`` or a ``UserReference``.
///
/// Every call that takes a user takes all of them, as literals and as variables:
///
/// ```swift
/// let name = …
/// let ada = try users.user(name)
/// try users.manager(of: "ada")
/// try users.manager(of: ada)
/// try users.manager(of: ada.id)
/// try users.manager(of: .either(text))  // An identifier, or else a name.
/// ```
///
/// Text is always a name. Use `Reference.either(_:)` for text that can be an identifier as well.
public protocol UserReferenceConvertible: Sendable {
    /// The value as a ``UserReference``.
    var userReference: UserReference { get }
}

/// A value that says which role is meant: a name, an identifier, a ``Role`` or a ``RoleReference``.
///
/// Every call that takes a role takes all of them, as ``UserReferenceConvertible`` shows for users.
public protocol RoleReferenceConvertible: Sendable {
    /// The value as a ``RoleReference``.
    var roleReference: RoleReference { get }
}

extension String: UserReferenceConvertible, RoleReferenceConvertible {
    /// A reference to the user who has the text as the name.
    public var userReference: UserReference { .named(self) }
    /// A reference to the role that has the text as the name.
    public var roleReference: RoleReference { .named(self) }
}

extension Identifier: UserReferenceConvertible where Entity == User {
    /// A reference to the user who has the identifier.
    public var userReference: UserReference { .id(self) }
}

extension Identifier: RoleReferenceConvertible where Entity == Role {
    /// A reference to the role that has the identifier.
    public var roleReference: RoleReference { .id(self) }
}

extension User: UserReferenceConvertible {
    /// A reference to the user by the identifier. The reference stays valid if the user gets another name.
    public var userReference: UserReference { .id(id) }
}

extension Role: RoleReferenceConvertible {
    /// A reference to the role by the identifier. The reference stays valid if the role gets another name.
    public var roleReference: RoleReference { .id(id) }
}

extension Reference: UserReferenceConvertible where Entity == User {
    /// The reference itself.
    public var userReference: UserReference { self }
}

extension Reference: RoleReferenceConvertible where Entity == Role {
    /// The reference itself.
    public var roleReference: RoleReference { self }
}

// These members allow `.named(…)`, `.id(…)` and `.either(…)` where a parameter takes any of the types. The members are disfavored, so
// that the compiler prefers the cases of `Reference` where the type is known.

extension UserReferenceConvertible where Self == UserReference {
    /// The user with that name.
    @_disfavoredOverload
    public static func named(_ name: String) -> UserReference { UserReference.named(name) }
    /// The user with that identifier.
    @_disfavoredOverload
    public static func id(_ id: UserID) -> UserReference { UserReference.id(id) }
    /// The user with that identifier, or else with that name.
    @_disfavoredOverload
    public static func either(_ text: String) -> UserReference { UserReference.either(text) }
}

extension RoleReferenceConvertible where Self == RoleReference {
    /// The role with that name.
    @_disfavoredOverload
    public static func named(_ name: String) -> RoleReference { RoleReference.named(name) }
    /// The role with that identifier.
    @_disfavoredOverload
    public static func id(_ id: RoleID) -> RoleReference { RoleReference.id(id) }
    /// The role with that identifier, or else with that name.
    @_disfavoredOverload
    public static func either(_ text: String) -> RoleReference { RoleReference.either(text) }
}
