import RosterSignIn
import Testing

@testable import RosterREST

@Suite("The shades of an organization's colour")
struct BrandShadesTests {
    private static let white = Branding.Color(red: 255, green: 255, blue: 255)
    private static let lightGrounds = ["#ffffff", "#f5f6f8"].compactMap { Branding.Color($0) }
    private static let darkGrounds = ["#1d2128", "#14171c", "#1f2329"].compactMap { Branding.Color($0) }

    @Test("Black on white has the contrast 21, and a colour with itself 1")
    func contrast() {
        let black = Branding.Color(red: 0, green: 0, blue: 0)
        #expect(abs(BrandShades.contrast(black, Self.white) - 21) < 0.001)
        #expect(abs(BrandShades.contrast(black, black) - 1) < 0.001)
    }

    @Test("Whatever the colour, text on the button, links and what is marked can be read, in light and in dark")
    func enough() {
        let steps = stride(from: 0, through: 255, by: 17).map { UInt8($0) }
        for red in steps {
            for green in steps {
                for blue in steps {
                    let shades = BrandShades(of: Branding.Color(red: red, green: green, blue: blue))
                    for (scheme, grounds) in [(shades.light, Self.lightGrounds), (shades.dark, Self.darkGrounds)] {
                        let pairs = (grounds + [scheme.ink, scheme.mark]).map {
                            BrandShades.contrast(scheme.accent, $0)
                        }
                        #expect(pairs.allSatisfy { $0 >= 4.5 }, "\(red) \(green) \(blue): \(pairs)")
                    }
                }
            }
        }
    }

    @Test("A colour that can be read stays as it is")
    func kept() throws {
        let color = try #require(Branding.Color("#1f5fbf"))
        #expect(BrandShades(of: color).light.accent == color)
        #expect(BrandShades(of: color).tokens.contains("--accent: #1f5fbf; --accent-ink: #ffffff;"))
    }
}
