/// The words of generated organisations.
enum NamePool {
    struct Language: Sendable {
        let locale: String
        let given: [String]
        let family: [(name: String, ascii: String)]

        /// - Parameters:
        ///   - given: The given names, separated by white space.
        ///   - family: The family names, each followed by a slash and its ASCII form.
        init(_ locale: String, given: String, family: String) {
            self.locale = locale
            self.given = given.split(whereSeparator: \.isWhitespace).map(String.init)
            self.family = family.split(whereSeparator: \.isWhitespace).map { pair in
                let parts = pair.split(separator: "/").map(String.init)
                return (parts[0], parts[1])
            }
        }
    }

    static let departments = [
        "Engineering", "Sales", "Finance", "People", "Operations", "Research", "Support", "Legal",
    ]
    static let titles = [
        "Engineer", "Senior Engineer", "Analyst", "Accountant", "Consultant", "Designer", "Technician", "Specialist",
        "Assistant", "Researcher", "Coordinator", "Planner", "Administrator",
    ]

    static let languages = [
        Language(
            "de-DE",
            given: """
                Anna Jürgen Bärbel Thomas Käthe Björn Lena Günther Sabine Jörg Heike Uwe Ängela Maximilian Greta
                Ruth Klaus Ulrike Matthias Silke
                """,
            family: """
                Müller/mueller Schröder/schroeder Weiß/weiss Jäger/jaeger Groß/gross Münch/muench Köhler/koehler
                Schmidt/schmidt Krüger/krueger Böhm/boehm Fischer/fischer Lüdtke/luedtke Vogel/vogel Strauß/strauss
                Wagner/wagner
                """),
        Language(
            "en-GB",
            given: """
                Olivia George Amelia Harry Isla Jack Ava Noah Emily Oscar Grace Arthur Freya Theo Alice Henry Rosie
                Edward Hannah Samuel
                """,
            family: """
                Smith/smith O'Connor/oconnor Patel/patel Brown/brown Taylor/taylor Davies/davies Wilson/wilson
                Evans/evans Okafor/okafor Clarke/clarke MacLeod/macleod Khan/khan Hughes/hughes Walker/walker Ng/ng
                """),
        Language(
            "ja-JP",
            given: """
                太郎 花子 健一 美咲 翔太 陽子 大輔 由美 直樹 さくら 拓也 恵子
                """,
            family: """
                佐藤/sato 鈴木/suzuki 高橋/takahashi 田中/tanaka 伊藤/ito 渡辺/watanabe 山本/yamamoto 中村/nakamura 小林/kobayashi
                加藤/kato
                """),
        Language(
            "fr-FR",
            given: """
                Élodie François Chloé Étienne Zoé Benoît Léa Jérôme Inès Noël Maëlle Luc
                """,
            family: """
                Lefèvre/lefevre Dubois/dubois Béranger/beranger Moreau/moreau Garçon/garcon Lemaître/lemaitre
                Petit/petit Fontaine/fontaine
                """),
        Language(
            "tr-TR",
            given: """
                İpek Oğuz Ayşe Çağlar Işıl Ömer Şule Emre Gülşen Barış
                """,
            family: """
                Yılmaz/yilmaz Öztürk/ozturk Şahin/sahin Çelik/celik Aydın/aydin Koç/koc Güneş/gunes İnan/inan
                """),
    ]
}
