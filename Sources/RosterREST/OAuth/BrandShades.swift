import Foundation
import RosterSignIn

/// The shades of an organization's colour that pages use, in light and in dark.
///
/// A colour may be too pale or too dark for text. A shade is the colour, darker in light pages and lighter in dark ones, as far as text
/// needs it: each pair that a page sets as text on a ground has a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3).
struct BrandShades: Sendable, Hashable {
    typealias Color = Branding.Color

    /// The shades of one scheme of colours.
    struct Scheme: Sendable, Hashable {
        /// The ground of the primary button, and the text of links.
        let accent: Color
        /// The text of the primary button.
        let ink: Color
        /// The ground of what is marked.
        let mark: Color
    }

    /// The contrast that text needs.
    static let enough = 4.5

    let light: Scheme
    let dark: Scheme

    init(of color: Color) {
        light = Self.scheme(
            of: color, towards: Self.black, ink: Self.white, card: Self.white,
            ground: Color(red: 0xF5, green: 0xF6, blue: 0xF8), share: 0.1)
        dark = Self.scheme(
            of: color, towards: Self.white, ink: Color(red: 0x0C, green: 0x16, blue: 0x26),
            card: Color(red: 0x1D, green: 0x21, blue: 0x28), ground: Color(red: 0x14, green: 0x17, blue: 0x1C),
            share: 0.2)
    }

    private static let black = Color(red: 0, green: 0, blue: 0)
    private static let white = Color(red: 255, green: 255, blue: 255)

    /// - Parameters:
    ///   - end: The colour that gives the most contrast with the grounds.
    ///   - share: The share of the accent in the ground of what is marked.
    private static func scheme(
        of color: Color, towards end: Color, ink: Color, card: Color, ground: Color, share: Double
    ) -> Scheme {
        var accent = color
        var mark = mixed(card, accent, share)
        for step in 1...50 {
            let isEnough = [card, ground, mark].allSatisfy { contrast(accent, $0) >= enough }
            if isEnough && contrast(accent, ink) >= enough { break }
            accent = mixed(color, end, Double(step) / 50)
            mark = mixed(card, accent, share)
        }
        return Scheme(accent: accent, ink: ink, mark: mark)
    }

    /// A colour between two others.
    private static func mixed(_ one: Color, _ other: Color, _ share: Double) -> Color {
        func part(_ one: UInt8, _ other: UInt8) -> UInt8 {
            UInt8(clamping: Int((Double(one) + (Double(other) - Double(one)) * share).rounded()))
        }
        return Color(
            red: part(one.red, other.red), green: part(one.green, other.green), blue: part(one.blue, other.blue))
    }

    /// The contrast of two colours, from 1 to 21.
    static func contrast(_ one: Color, _ other: Color) -> Double {
        let (first, second) = (luminance(one), luminance(other))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    private static func luminance(_ color: Color) -> Double {
        func part(_ byte: UInt8) -> Double {
            let value = Double(byte) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * part(color.red) + 0.7152 * part(color.green) + 0.0722 * part(color.blue)
    }

    // MARK: Style sheets

    /// What the name of a property of our own begins with.
    private var name: String { "--" }

    /// The style sheet that puts the shades in the place of the page's tokens.
    var tokens: String {
        func tokens(_ scheme: Scheme) -> String {
            "\(name)accent: \(scheme.accent.text); \(name)accent-ink: \(scheme.ink.text); \(name)mark: \(scheme.mark.text);"
        }
        return """
            :root { \(tokens(light)) }
            @media (prefers-color-scheme: dark) { :root { \(tokens(dark)) } }

            """
    }

    /// The style sheet of the sign-in pages that has the shades.
    var signInStyle: String {
        let accent = "light-dark(\(light.accent.text), \(dark.accent.text))"
        return """
            button:not(.other) { background: \(accent); color: light-dark(\(light.ink.text), \(dark.ink.text)) }
            a { color: \(accent) }
            :focus-visible { outline-color: \(accent) }

            """
    }
}
