import CXMLSecurity
import Foundation
import RosterSAML
import Testing

/// Fills in the signatures of a document with xmlsec, as an identity provider would.
enum TestSigner {
    enum Key {
        case provider(TestProvider)
        /// A key that everybody knows, for HMAC.
        case shared([UInt8])
    }

    /// The document with every `ds:Signature` in it computed, the innermost first.
    static func sign(_ xml: String, with key: Key) throws -> String {
        guard ready else { throw TestFailure(function: "xmlSecInit") }
        let document = try #require(
            xml.withCString { xmlReadMemory($0, CInt(strlen($0)), nil, "UTF-8", CInt(XML_PARSE_NONET.rawValue)) })
        defer { xmlFreeDoc(document) }
        var signatures: [xmlNodePtr] = []
        walk(xmlDocGetRootElement(document)) { node in
            if String(cString: node.pointee.name) == "Signature" { signatures.append(node) }
            if let id = xmlHasNsProp(node, "ID", nil), let value = xmlGetNoNsProp(node, "ID") {
                xmlAddID(nil, document, value, id)
                free(value)
            }
        }
        for signature in signatures.reversed() {
            let context = try #require(xmlSecDSigCtxCreate(nil))
            defer { xmlSecDSigCtxDestroy(context) }
            switch key {
            case .provider(let provider):
                context.pointee.signKey = xmlSecOpenSSLAppKeyLoadMemory(
                    provider.privateKey, .init(provider.privateKey.count), xmlSecKeyDataFormatPem, nil, nil, nil)
            case .shared(let bytes):
                context.pointee.signKey = xmlSecKeyReadMemory(
                    xmlSecOpenSSLKeyDataHmacGetKlass(), bytes, .init(bytes.count))
            }
            guard xmlSecDSigCtxSign(context, signature) == 0 else { throw TestFailure(function: "xmlSecDSigCtxSign") }
        }
        var text: UnsafeMutablePointer<xmlChar>?
        var size: CInt = 0
        xmlDocDumpMemoryEnc(document, &text, &size, "UTF-8")
        defer { free(text) }
        return String(cString: try #require(text))
    }

    /// The product's own start of the libraries, which happens once in a process.
    private static let ready: Bool = {
        _ = try? SAMLAssertionReader(trust: SAMLTrust(certificates: [:], audiences: [], recipients: []))
            .read("PGEvPg==", now: Sample.now)
        return true
    }()

    private static func walk(_ node: xmlNodePtr?, _ visit: (xmlNodePtr) -> Void) {
        var next = node
        while let node = next {
            if node.pointee.type == XML_ELEMENT_NODE {
                visit(node)
                walk(node.pointee.children, visit)
            }
            next = node.pointee.next
        }
    }
}
