extension AttributeManager {
    // MARK: Widening

    /// Widens a declared attribute, so that it takes more values than before. Every stored value survives.
    ///
    /// Whole numbers become decimals. Whole numbers, decimals, booleans and times become text: numbers in digits, times in
    /// ISO 8601. An attribute with one value takes several; its stored values become lists. Users keep their versions; the
    /// change feed has one entry, for the attribute.
    ///
    /// - Parameters:
    ///   - name: A declared attribute.
    ///   - kind: The new kind; nil keeps the current one.
    ///   - isMultiValued: True to allow several values; nil keeps the current number.
    ///   - isCaseExact: Whether case counts in comparisons from now on; nil keeps the current rule.
    /// - Throws: ``DirectoryError`` `invalidAttribute` if stored values could be lost, with the reason and the number of
    ///   users who have such values; `alreadyExists` if unique values would no longer be unique; `notPermitted` unless the
    ///   caller is an administrator.
    public func widen(
        _ name: AttributeName, to kind: AttributeDefinition.Kind? = nil, isMultiValued: Bool? = nil,
        isCaseExact: Bool? = nil
    ) throws {
        _ = try view.change(
            WidenAttribute(attribute: name, kind: kind, isMultiValued: isMultiValued, isCaseExact: isCaseExact))
    }

    /// Widens a declared attribute, as the synchronous form does.
    public func widen(
        _ name: AttributeName, to kind: AttributeDefinition.Kind? = nil, isMultiValued: Bool? = nil,
        isCaseExact: Bool? = nil
    ) async throws {
        _ = try await view.change(
            WidenAttribute(attribute: name, kind: kind, isMultiValued: isMultiValued, isCaseExact: isCaseExact))
    }

    // MARK: Renaming

    /// Renames a declared attribute together with all stored values.
    ///
    /// The attribute keeps its readers, writers, rules and index. The old name then names no attribute, and another
    /// attribute may be declared by it. Users keep their versions. The change feed has one entry, whose `before` and
    /// `after` hold the two names; later entries use the new name, and earlier ones keep the old one. Settings outside the
    /// directory's data, such as those of an identity provider, keep the old name.
    ///
    /// - Parameters:
    ///   - name: A declared attribute.
    ///   - newName: Its new name.
    /// - Throws: ``DirectoryError`` `alreadyExists` if another attribute has the new name, `invalidAttribute` for an invalid
    ///   new name and for built-in attributes, `notPermitted` unless the caller is an administrator.
    public func rename(_ name: AttributeName, to newName: AttributeName) throws {
        _ = try view.change(RenameAttribute(attribute: name, newName: newName))
    }

    /// Renames a declared attribute, as the synchronous form does.
    public func rename(_ name: AttributeName, to newName: AttributeName) async throws {
        _ = try await view.change(RenameAttribute(attribute: name, newName: newName))
    }

    // MARK: Indexes

    /// Gives an attribute of users an index, which is built for all stored values: a declared attribute, or a
    /// built-in one with text, such as `costCenter`, `country` or `mobile`.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute` for attributes of roles, binary data, and built-in attributes that every
    ///   directory has an index for, `notPermitted` unless the caller is an administrator.
    /// - Complexity: Reads every user with a value: about a second for 100,000 of them. Other changes wait meanwhile.
    public func index(_ name: AttributeName) throws {
        _ = try view.change(SetAttributeIndex(attribute: name, isIndexed: true))
    }

    /// Gives a declared attribute of users an index, as the synchronous form does.
    public func index(_ name: AttributeName) async throws {
        _ = try await view.change(SetAttributeIndex(attribute: name, isIndexed: true))
    }

    /// Removes the index that `index(_:)` made. Filters still work, but read every candidate.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute` for a unique attribute, which needs the index, `notPermitted` unless
    ///   the caller is an administrator.
    public func removeIndex(of name: AttributeName) throws {
        _ = try view.change(SetAttributeIndex(attribute: name, isIndexed: false))
    }

    /// Removes the index of a declared attribute, as the synchronous form does.
    public func removeIndex(of name: AttributeName) async throws {
        _ = try await view.change(SetAttributeIndex(attribute: name, isIndexed: false))
    }

    // MARK: Rules

    /// Replaces the rules of a declared attribute, or of `mail`.
    ///
    /// The rules of `mail` hold for every address among `emails`. An attribute whose values become unique becomes
    /// indexed as well.
    ///
    /// - Parameters:
    ///   - rules: All rules from now on; an empty list for none.
    ///   - name: A declared attribute, or `mail`.
    /// - Throws: ``DirectoryError`` `invalidAttribute` if a rule does not fit the attribute or has a mistake, or if stored
    ///   values break the rules; `alreadyExists` if users share a value that would have to be unique. Both errors tell the
    ///   number of these users and the name of one of them, but no value. `notPermitted` unless the caller is an
    ///   administrator.
    public func setRules(_ rules: AttributeRules, of name: AttributeName) throws {
        _ = try view.change(SetAttributeRules(rules: rules, attribute: name))
    }

    /// Replaces the rules of a declared attribute, or of `mail`, as the synchronous form does.
    public func setRules(_ rules: AttributeRules, of name: AttributeName) async throws {
        _ = try await view.change(SetAttributeRules(rules: rules, attribute: name))
    }

    // MARK: Texts

    /// Replaces the labels and descriptions of a declared attribute in all languages.
    ///
    /// To change them in some languages, use `changeTexts(labels:descriptions:of:)`: it keeps what other administrators change at the same
    /// time in other languages.
    ///
    /// - Parameters:
    ///   - texts: All labels and descriptions from now on. Texts in languages that these leave out are removed.
    ///   - name: A declared attribute.
    /// - Throws: ``DirectoryError`` `invalidAttribute` for a built-in or unknown attribute, for an invalid language tag, and for a text
    ///   that is empty, too long or has several lines; `notPermitted` unless the caller is an administrator.
    public func setTexts(_ texts: AttributeTexts, of name: AttributeName) throws {
        _ = try view.change(SetAttributeTexts(texts: texts, attribute: name))
    }

    /// Replaces the labels and descriptions of a declared attribute, as the synchronous form does.
    public func setTexts(_ texts: AttributeTexts, of name: AttributeName) async throws {
        _ = try await view.change(SetAttributeTexts(texts: texts, attribute: name))
    }

    /// Changes the labels and descriptions of a declared attribute in some languages. Those in other languages stay.
    ///
    /// ```swift
    /// try view.attributes.changeTexts(labels: ["de": "Ausweis", "fr": nil], of: "badge")
    /// ```
    ///
    /// - Parameters:
    ///   - labels: The labels to set by language tag; nil removes the label in a language.
    ///   - descriptions: The descriptions to set by language tag; nil removes the description in a language.
    ///   - name: A declared attribute.
    /// - Throws: ``DirectoryError`` `invalidAttribute` for a built-in or unknown attribute, for an invalid language tag, and for a text
    ///   that is empty, too long or has several lines; `notPermitted` unless the caller is an administrator.
    public func changeTexts(
        labels: [String: String?] = [:], descriptions: [String: String?] = [:], of name: AttributeName
    ) throws {
        _ = try view.change(ChangeAttributeTexts(labels: labels, descriptions: descriptions, attribute: name))
    }

    /// Changes the labels and descriptions of a declared attribute in some languages, as the synchronous form does.
    public func changeTexts(
        labels: [String: String?] = [:], descriptions: [String: String?] = [:], of name: AttributeName
    ) async throws {
        _ = try await view.change(ChangeAttributeTexts(labels: labels, descriptions: descriptions, attribute: name))
    }

    // MARK: Undeclaring

    /// Removes the declaration of an attribute. Its name may be declared anew.
    ///
    /// - Parameters:
    ///   - name: A declared attribute.
    ///   - removingValues: Whether to remove the values of all users or roles as well. Each of them gets a new version, and
    ///     an entry in the change feed.
    /// - Throws: ``DirectoryError`` `invalidAttribute` for a built-in attribute, and if there are values and
    ///   `removingValues` is false; `notPermitted` unless the caller is an administrator.
    public func undeclare(_ name: AttributeName, removingValues: Bool = false) throws {
        _ = try view.change(UndeclareAttribute(attribute: name, removingValues: removingValues))
    }

    /// Removes the declaration of an attribute, as the synchronous form does.
    public func undeclare(_ name: AttributeName, removingValues: Bool = false) async throws {
        _ = try await view.change(UndeclareAttribute(attribute: name, removingValues: removingValues))
    }
}
