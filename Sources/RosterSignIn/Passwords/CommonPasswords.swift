/// The passwords that are tried first: those well known from the lists of the most common ones, of at least 8 characters,
/// in lower case. With common words and names followed by what people put behind them.
enum CommonPasswords {
    /// Whether it is one of them. Costs one look-up; the list is read at the first.
    /// - Parameter password: in lower case.
    static func contains(_ password: String) -> Bool { all.contains(password) }

    static let all: Set<String> = Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))

    private static let text = """
        !qaz2wsx 00000000 000000000 0000000000 00001111 000111222 00112233 0011223344 01010101 01020304 0102030405
        010203040506 01234567 012345678 0123456789 01234567890 0123456789a 0147258369 02020202 03030303 07070707
        09876543 098765432 0987654321 100200300 10101010 101010101 10203040 1020304050 102030405060 1029384756 11001100
        11110000 11111111 111111111 1111111111 11111111a 11111112 11112222 1111aaaa 111222333 111222333444 11221122
        11223344 1122334455 112233445566 11235813 112358132 12121212 121212121 1212121212 12312312 123123123 123123123a
        123123456 123123qwe 123321123 123321123321 12341234 123412345 12344321 12345123 1234512345 123454321 1234554321
        123456123456 12345654321 123456654321 12345678 123456780 1234567812345678 123456788 123456789 1234567890
        12345678900 123456789012 1234567890123 1234567890a 1234567890q 1234567891 12345678910 123456789987654321
        123456789a 123456789abc 123456789m 123456789q 123456789s 123456789x 123456789z 12345678a 12345678q 12345678z
        12345679 123456798 1234567a 1234567q 123456aa 123456ab 123456abc 123456qwerty 12345abc 12345qwe 12345qwert
        12346789 1234abcd 1234qwer 1234rewq 12369874 123698745 1236987450 123789456 123abc123 123qwe123 123qwe456
        123qweasd 12qwaszx 13131313 13572468 13579111 135792468 1357924680 14141414 142536475 142536789 1425367890
        147147147 14725836 147258369 1472583690 147852369 14789632 147896325 159159159 159357456 159753456 15975346
        1597534682 159753852 159951159 16161616 17171717 18181818 19191919 19841984 19851985 19861986 19871987 19881988
        19891989 19901990 19911991 19921992 19931993 19941994 19951995 1a2b3c4d 1a2b3c4d5e 1q2w3e4r 1q2w3e4r! 1q2w3e4r5
        1q2w3e4r5t 1q2w3e4r5t6y 1qaz!qaz 1qaz1qaz 1qaz2wsx 1qaz2wsx! 1qaz2wsx3edc 1qaz@wsx 1qazxsw2 1qazzaq1 20002000
        20012001 20022002 20202020 21212121 22222222 222222222 2222222222 22334455 23232323 24242424 24681012 2468101214
        25252525 25802580 258258258 2wsx3edc 31415926 314159265 32103210 321321321 321654987 321987654 33221100 33333333
        333333333 34343434 357159357 369258147 369369369 3edc4rfv 41414141 42424242 44444444 444444444 45454545
        456456456 45678912 456789123 4815162342 4rfv5tgb 5201314520 5201314a 54321543 55555555 555555555 5555555555
        55667788 56565656 65432100 654321654 66666666 666666666 6666666666 66778899 67676767 69696969 6969696969
        74108520 741741741 74185296 741852963 75315985 753159852 753951456 77777777 777777777 7777777777 77889900
        78787878 78945612 789456123 7894561230 789456789 789789789 85208520 852456852 852852852 87654321 876543210
        87654321a 88888888 888888888 8888888888 89898989 90909090 951753456 951753852 96385274 963852741 963963963
        987456321 9874563210 98765432 987654321 9876543210 987654321a 98989898 99887766 99999999 999999999 9999999999
        a11111111 a123123123 a1234567 a12345678 a123456789 a1a1a1a1 a1b2c3d4 a1b2c3d4e5 a1s2d3f4 a5201314 aa111111
        aa123456 aa12345678 aaa111111 aaa12345 aaa123456 aaaa1111 aaaaaaaa aaaaaaaaaa ab123456 abc123123 abc12345
        abc123456 abc123abc abcabcabc abcd123! abcd1234 abcd12345 abcd123456 abcdabcd abcde123 abcde12345 abcdef123
        abcdefg1 abcdefg123 abcdefgh abcdefghi abcdefghij access01 access1! access12 access123 access123! access1234
        access14 access2024 access2025 access99 admin111 admin123 admin123! admin1234 admin12345 admin123456 admin2020
        admin2021 admin2022 admin2023 admin2024 admin2025 admin@123 adminadmin administrator administrator1 adminpass
        adminpassword aini1314 ajax1234 alejandra alejandro alejandro1 alessandra alessandro alexander01 alexander1
        alexander1! alexander12 alexander123 alexander123! alexander1234 alexander2024 alexander2025 alexandre amanda01
        amanda1! amanda12 amanda123 amanda123! amanda1234 amanda2024 amanda2025 amazon123 america01 america1 america1!
        america12 america123 america123! america1234 america2024 america2025 amore123 amoremio amorzinho amsterdam
        amsterdam1 andrea01 andrea1! andrea12 andrea123 andrea123! andrea1234 andrea2024 andrea2025 andrew01 andrew1!
        andrew12 andrew123 andrew123! andrew1234 andrew2024 andrew2025 angel123 angel123! angel1234 angel2024 angel2025
        anthony01 anthony1 anthony1! anthony12 anthony123 anthony123! anthony1234 anthony2024 anthony2025 anything
        anything1 apple123 apple123! apple1234 apple2024 apple2025 argentina argentina1 arsenal01 arsenal1 arsenal1!
        arsenal12 arsenal123 arsenal123! arsenal1234 arsenal14 arsenal2024 arsenal2025 asd12345 asd123456 asd123asd
        asdasdasd asdf1234 asdf123456 asdfasdf asdfgh123 asdfghjk asdfghjkl asdfghjkl1 asdfjkl; asdfqwer asdzxc123
        ashley01 ashley1! ashley12 ashley123 ashley123! ashley1234 ashley2024 ashley2025 asshole1 asshole123 asshole2
        audi1234 august12 autumn01 autumn1! autumn12 autumn123 autumn123! autumn1234 autumn2020 autumn2021 autumn2022
        autumn2023 autumn2024 autumn2025 azerty12 azerty123 azertyui azertyuiop azertyuiop1 babybaby babyblue babyboy1
        babyboy123 babydoll babyface babygirl babygirl01 babygirl1 babygirl1! babygirl12 babygirl123 babygirl123!
        babygirl1234 babygirl2 babygirl2024 babygirl2025 badass123 bailey01 bailey1! bailey12 bailey123 bailey123!
        bailey1234 bailey2024 bailey2025 banana01 banana1! banana12 banana123 banana123! banana1234 banana2024
        banana2025 bandit01 bandit1! bandit12 bandit123 bandit123! bandit1234 bandit2024 bandit2025 barcelona
        barcelona01 barcelona1 barcelona1! barcelona10 barcelona12 barcelona123 barcelona123! barcelona1234
        barcelona2024 barcelona2025 bart1234 bartek123 baseball baseball01 baseball1 baseball1! baseball10 baseball11
        baseball12 baseball123 baseball123! baseball1234 baseball2 baseball2024 baseball2025 baseball7 basketball
        basketball1 basketball12 basketball23 batman01 batman1! batman12 batman123 batman123! batman1234 batman2024
        batman2025 bayern123 bayernmuenchen bbbbbbbb beautiful beautiful1 beauty123 beckham23 beckham7 berlin01 berlin1!
        berlin12 berlin123 berlin123! berlin1234 berlin2024 berlin2025 besiktas besiktas1903 bestfriend bestfriends
        bigballs bigboobs bigboss1 bigcock1 bigdaddy bigdaddy1 bigdick1 bigtits1 bitch123 bitchass bitches1 biteme123
        biteme69 blabla123 blablabla blablabla1 blahblah blahblah1 blowjob1 blume123 bmw12345 bmw325i1 bonita123
        bonjour1 bonjour123 borussia boston01 boston1! boston12 boston123 boston123! boston1234 boston2024 boston2025
        brandon01 brandon1 brandon1! brandon12 brandon123 brandon123! brandon1234 brandon2024 brandon2025 brasil123
        brazzers broncos1 brother01 brother1 brother1! brother12 brother123 brother123! brother1234 brother2024
        brother2025 bugsbunny bullshit bullshit1 business business1 buster01 buster1! buster12 buster123 buster123!
        buster1234 buster2024 buster2025 butterflies butterfly butterfly1 butterfly2 callofduty camaro123 camille1
        canada01 canada1! canada12 canada123 canada123! canada1234 canada2024 canada2025 captain1 captain123
        captainamerica carolina01 carolina1 carolina1! carolina12 carolina123 carolina123! carolina1234 carolina2024
        carolina2025 caroline01 caroline1 caroline1! caroline12 caroline123 caroline123! caroline1234 caroline2024
        caroline2025 cccccccc changeit changeme changeme! changeme01 changeme1 changeme1! changeme12 changeme123
        changeme123! changeme1234 changeme2024 changeme2025 changethis chargers charizard charles1 charles123 charlie01
        charlie1 charlie1! charlie11 charlie12 charlie123 charlie123! charlie1234 charlie2 charlie2024 charlie2025
        charlie3 charlie5 charlie7 charlotte charlotte1 charming cheer123 cheerleader cheerleader1 cheese01 cheese1!
        cheese12 cheese123 cheese123! cheese1234 cheese2024 cheese2025 cheeseburger cheesecake chelsea01 chelsea1
        chelsea1! chelsea12 chelsea123 chelsea123! chelsea1234 chelsea2024 chelsea2025 cherries cherry123 chester1
        chester123 chevelle chevrolet chevy123 cheyenne cheyenne1 chicago01 chicago1 chicago1! chicago12 chicago123
        chicago123! chicago1234 chicago2024 chicago2025 chicken01 chicken1 chicken1! chicken12 chicken123 chicken123!
        chicken1234 chicken2 chicken2024 chicken2025 chickennugget chickens chivas123 chocolat chocolate chocolate1
        chocolate12 chocolate123 chocolate2 christ01 christ1! christ12 christ123 christ123! christ1234 christ2024
        christ2025 christian christian1 christian123 christian2 christina christina1 christine christine1 christmas
        christmas1 christmas25 christopher christopher1 ciao1234 ciaociao cinderella cinnamon cinnamon1 cisco123
        cisco12345 clarence claudia01 claudia1 claudia1! claudia12 claudia123 claudia123! claudia1234 claudia2024
        claudia2025 clayton1 clifford cloud123 cocacola cocacola1 cocacola123 coconut1 coffee123 college1 colombia
        colombia1 colorado columbia company01 company1 company1! company12 company123 company123! company1234
        company2024 company2025 computer computer01 computer1 computer1! computer12 computer123 computer123!
        computer1234 computer2024 computer2025 computers contrasena contrasena1 contraseña cookie01 cookie1! cookie12
        cookie123 cookie123! cookie1234 cookie2024 cookie2025 cookiemonster cookies1 corazon1 corazon123 corinthians
        corvette corvette1 counterstrike cowboys1 cowboys123 cristiano cristiano7 daddy123 daddysgirl daddysgirl1
        dallas01 dallas1! dallas12 dallas123 dallas123! dallas1234 dallas2024 dallas2025 dallascowboys daniel01 daniel1!
        daniel12 daniel123 daniel123! daniel1234 daniel2024 daniel2025 daniela1 danielle danielle1 danielle12
        danielle123 darkknight database database1 david123 david1234 dddddddd deadpool deadpool1 december december1
        default01 default1 default1! default12 default123 default123! default1234 default2024 default2025 deusefiel
        deutschland deutschland1 diablo123 diablo22 diamond01 diamond1 diamond1! diamond12 diamond123 diamond123!
        diamond1234 diamond2024 diamond2025 diamonds dickhead dickhead1 disney123 disneyland dodgeball dolphin1
        dolphin123 dolphins dolphins1 dominic1 dominic123 dominique donald123 donkeykong dorothy1 dortmund09 dortmund1
        doudou123 douglas1 dragon01 dragon1! dragon11 dragon12 dragon123 dragon123! dragon1234 dragon2024 dragon2025
        dragon69 dragon99 dragonball dragonball1 dragonballz dragonfire dragonfly dragonfly1 dragons1 dragonslayer
        dreamer1 dreams123 drummer1 ducati123 eagles123 earnhardt eeeeeeee eeyore123 einstein elephant elephant1
        elizabeth elizabeth1 elizabeth2 emily123 eminem12 eminem123 emmanuel emmanuel1 england1 england123 enterprise
        ericsson erotica1 estrella estrella1 everlast everton1 everyday everything evolution extreme1 facebook facebook1
        facebook123 falcon123 falcons1 familia1 familia123 family01 family1! family12 family123 family123! family1234
        family2024 family2025 familyguy fantasy1 father01 father1! father12 father123 father123! father1234 father2024
        father2025 february february1 felicidad felicidade fender123 fenerbahce fenerbahce1907 fernanda fernando
        fernando1 ferrari1 ferrari12 ferrari123 feyenoord feyenoord1 ffffffff finalfan finalfantasy finalfantasy7
        fireball firebird firefighter firefire firefox1 fireman1 firstlove fisherman fishing1 fishing123 flamengo
        flamengo1 florida01 florida1 florida1! florida12 florida123 florida123! florida1234 florida2024 florida2025
        flower01 flower1! flower12 flower123 flower123! flower1234 flower2024 flower2025 flowers1 flowers123 fluffy123
        football football01 football1 football1! football10 football11 football12 football123 football123! football1234
        football2 football2024 football2025 football22 football23 football3 football7 football8 football9 forever1
        forever2 forever21 foreverlove forgetit forgot123 forgotten formula1 fortnite fortnite1 fortnite123 forzainter
        forzamilan france98 francesca francesco francesco1 francisco francisco1 frankfurt frankie1 franklin freckles
        freddy123 frederick freedom01 freedom1 freedom1! freedom12 freedom123 freedom123! freedom1234 freedom2
        freedom2024 freedom2025 freedom7 freeman1 freightliner frenchfries friday123 friday13 friend01 friend1! friend12
        friend123 friend123! friend1234 friend2024 friend2025 friendly friends1 friends4 friends4ever friendship
        frosty123 fucker123 fuckface fuckfuck fuckme69 fuckoff1 fuckoff123 fuckthis fuckthis1 fuckyou! fuckyou1
        fuckyou12 fuckyou123 fuckyou2 fuckyou69 fussball fussball1 futurama gabriel1 gabriel12 gabriel123 gabriela
        gabriella gabrielle galatasaray galatasaray1905 gamecube gandalf1 gangsta1 gangster gangster1 garfield garfield1
        gateway1 geheim12 geheim123 geheimnis genesis1 genesis123 geoffrey george01 george1! george12 george123
        george123! george1234 george2024 george2025 georgia1 germany1 getmoney getmoney1 gggggggg giants123 ginger01
        ginger1! ginger12 ginger123 ginger123! ginger1234 ginger2024 ginger2025 giovanni giovanni1 giuseppe gladiator
        gmail123 gmail1234 gohan123 goldberg golden01 golden1! golden12 golden123 golden123! golden1234 golden2024
        golden2025 goldfish goldstar goodbye1 goodgirl goodluck goodluck1 goodmorning goodtimes google12 google123
        googlegoogle gorgeous gothic123 graduate grandma1 grandma123 grandpa1 graphics gratitude green123 greenapple
        greenbay greenbay1 greenday greenday1 greenday123 gregory1 griffin1 guardian guest123 guest123! guest1234
        guest2024 guest2025 guestguest guinness guitar01 guitar1! guitar12 guitar123 guitar123! guitar1234 guitar2024
        guitar2025 guitarist gunner123 gymnastics hallo123 hallo123! hallo1234 hallo12345 hallo2024 hallo2025 hallohallo
        hamburg1 hamburg123 hamilton hamster1 handball hannah01 hannah1! hannah12 hannah123 hannah123! hannah1234
        hannah2024 hannah2025 happiness happy123 happy123! happy1234 happy2024 happy2025 happyday happydays happyfeet
        happyhappy hardcore hardcore1 harley-davidson harley01 harley1! harley12 harley123 harley123! harley1234
        harley2024 harley2025 harleydavidson harmony1 harrison harry123 harrypotter harrypotter1 haslo123 hawaii50
        hawaii808 hawkeye1 heather1 heather123 heather2 heaven01 heaven1! heaven12 heaven123 heaven123! heaven1234
        heaven2024 heaven2025 heavenly heineken helicopter hello123 hello123! hello1234 hello12345 hello2024 hello2025
        hello2you hellohello hellokitty hellokitty1 hellokity hellothere helloworld helpdesk helpdesk1 hendrix1 hercules
        hercules1 hermosa1 hewlett1 hhhhhhhh highland highlander hiphop123 hockey01 hockey1! hockey12 hockey123
        hockey123! hockey1234 hockey2024 hockey2025 hollywood hollywood1 homer123 homework honda123 hondacivic hondacrx
        honey123 honeybear honeybee honolulu hospital hotdog123 hotgirl1 hotmail1 hotmail123 hotpink1 hotrod123 hotstuff
        hotstuff1 hottie12 hottie123 houston1 howard123 hundehund hunter01 hunter1! hunter11 hunter12 hunter123
        hunter123! hunter1234 hunter2024 hunter2025 hunting1 hurricane hurricane1 hustler1 icecream icecream1
        icecream123 icecream2 ichliebedich idontcare idontknow ihateyou ihateyou1 iiiiiiii iloveboys ilovegod iloveher
        ilovehim ilovehim1 ilovejesus ilovejohn iloveme1 iloveme123 iloveme2 ilovemom ilovemusic ilovemyself ilovesex
        iloveu123 iloveyou iloveyou! iloveyou01 iloveyou1 iloveyou1! iloveyou12 iloveyou123 iloveyou123! iloveyou1234
        iloveyou2 iloveyou2024 iloveyou2025 iloveyou3 iloveyou4ever iloveyou520 iloveyou7 iloveyouso iloveyousomuch
        imagine1 imissyou immortal infinite infinity infinity1 insomnia instagram instagram1 integra1 internet
        internet01 internet1 internet1! internet12 internet123 internet123! internet1234 internet2 internet2024
        internet2025 intrepid inuyasha inuyasha1 invisible iphone123 ireland1 ironmaiden ironman1 ironman123 isabella
        isabella1 isabelle jack1234 jackass1 jackass123 jackjack jackson1 jackson12 jackson123 jackson5 jacob123
        jamaica1 james007 james123 jamesbond jamesbond007 jamesdean january1 jasmine01 jasmine1 jasmine1! jasmine12
        jasmine123 jasmine123! jasmine1234 jasmine2 jasmine2024 jasmine2025 jason123 jayden123 jayjay123 jeep1234
        jeepjeep jeffrey1 jellybean jellybean1 jennifer jennifer01 jennifer1 jennifer1! jennifer12 jennifer123
        jennifer123! jennifer1234 jennifer2 jennifer2024 jennifer2025 jeremiah jeremiah1 jeremy123 jerusalem jessica01
        jessica1 jessica1! jessica12 jessica123 jessica123! jessica1234 jessica2 jessica2024 jessica2025 jessica7
        jessie123 jesus123 jesus123! jesus1234 jesus2024 jesus2025 jesus4me jesus777 jesuschrist jesuscristo jesusislord
        jesuslovesme jesussaves jetaime1 jetaime123 jimmy123 jjjjjjjj joanna123 joejonas john1234 john316! johncena
        johncena1 johndeere johnny12 johnny123 johnson1 jonathan jonathan1 jonathan12 jonathan123 jordan01 jordan1!
        jordan11 jordan12 jordan123 jordan123! jordan1234 jordan2024 jordan2025 jordan23 joseph01 joseph1! joseph12
        joseph123 joseph123! joseph1234 joseph2024 joseph2025 joshua01 joshua1! joshua12 joshua123 joshua123! joshua1234
        joshua2024 joshua2025 junior01 junior1! junior12 junior123 junior123! junior1234 junior2024 junior2025 jupiter1
        justice1 justin01 justin1! justin12 justin123 justin123! justin1234 justin2024 justin2025 justinbieber
        justinbieber1 justme123 juventus juventus1 juventus123 kangaroo karate123 karolina karolina1 katherine kathleen
        katie123 katrina1 katze123 kawasaki kawasaki1 kayla123 kelly123 kelsey123 kennedy1 kenneth1 kentucky kenworth
        kermit123 kevin123 keyboard keyboard1 killer01 killer1! killer11 killer12 killer123 killer123! killer1234
        killer2024 killer2025 killer69 killer99 killerman kimberley kimberly kimberly1 king1234 kingdomhearts kingkong
        kingston kisskiss kissme123 kissmyass kittens1 kitty123 kittycat kittycat1 kittykat kittykitty kkkkkkkk klondike
        knicks123 knights1 kobe2424 kobebryant kochamcie konijntje kristen1 kristin1 kristina kristine lacrosse ladybug1
        ladybug123 ladybug2 ladybugs ladygaga ladygaga1 lakers08 lakers123 lakers24 lakers2424 lamborghini lancelot
        laptop123 lasvegas lasvegas1 lauren12 lauren123 lavender lawrence leather1 lebron23 lebronjames legend123
        legolas1 lemonade lemonade1 lente2020 leonardo leonardo1 leslie123 letmein! letmein01 letmein1 letmein1!
        letmein12 letmein123 letmein123! letmein1234 letmein2 letmein2024 letmein2025 letmeinnow libertad liberty1
        liebe123 lifeisgood lightning lightning1 lightsaber lincoln1 linkedin linkedin1 linkedin123 linkinpark
        linkinpark1 linux123 lionheart lionking lionking1 lipstick littlebit littleman littleone liverpool liverpool01
        liverpool1 liverpool1! liverpool12 liverpool123 liverpool123! liverpool1234 liverpool2024 liverpool2025
        liverpool8 liverpool9 llllllll login123 login123! login1234 login2024 login2025 lollipop lollipop1 lollypop
        london01 london1! london12 london123 london123! london1234 london2012 london2024 london2025 longhorn longhorns
        looking1 louise123 louisiana loulou123 love123! love1234 love12345 love2024 love2025 love2love love4ever
        lovebug1 loveforever lovehate loveless lovelove lovelove1 lovely01 lovely1! lovely12 lovely123 lovely123!
        lovely1234 lovely2024 lovely2025 loveme123 lover123 loverboy lovergirl loveyou1 loveyou123 loveyou2 lubimaya
        lucifer1 lucky123 lucky123! lucky1234 lucky13! lucky2024 lucky2025 lucky777 luckyboy luckydog luckyone ludacris
        luigi123 m1234567 madison1 madison123 madonna1 maggie01 maggie1! maggie12 maggie123 maggie123! maggie1234
        maggie2024 maggie2025 magic123 magical1 magnolia malcolm1 manager1 manager123 manchester mandarin manunited
        manutd123 manutd99 marathon margaret margarita maria123 mariahcarey marie123 marina01 marina1! marina12
        marina123 marina123! marina1234 marina2024 marina2025 marine123 mariners marines1 marino13 mario123 mario1234
        mariposa mariposa1 marlboro marlboro1 marley123 marseille marseille13 marshall martha123 martin01 martin1!
        martin12 martin123 martin123! martin1234 martin2024 martin2025 martinez maryjane maryjane1 maryland master01
        master1! master12 master123 master123! master1234 master2024 master2025 masterchief masterkey mastermind
        mateusz1 mathematics matrix123 matthew01 matthew1 matthew1! matthew12 matthew123 matthew123! matthew1234
        matthew2 matthew2024 matthew2025 matthew3 maverick maverick1 maximum1 maximus1 mclaren1 meatball meatloaf
        megan123 megatron melanie1 melissa01 melissa1 melissa1! melissa12 melissa123 melissa123! melissa1234 melissa2
        melissa2024 melissa2025 memorial mercedes mercedes1 mercedesbenz mercury1 meredith merlin123 messi123 metallic
        metallica metallica1 mexico01 mexico1! mexico12 mexico123 mexico123! mexico1234 mexico2024 mexico2025 mexico86
        miamiheat michael01 michael1 michael1! michael12 michael123 michael123! michael1234 michael2 michael2024
        michael2025 michael3 michael7 michaela michaeljordan michelle michelle01 michelle1 michelle1! michelle12
        michelle123 michelle123! michelle1234 michelle2 michelle2024 michelle2025 michigan michigan1 mickey123
        mickeymouse microsoft microsoft1 midnight midnight1 mihail123 military millenium millennium millionaire
        minecraft minecraft01 minecraft1 minecraft1! minecraft12 minecraft123 minecraft123! minecraft1234 minecraft2024
        minecraft2025 minnie123 miranda1 misiek123 mississippi missy123 mitchell mmmmmmmm mnbvcxz1 mnbvcxza mohammad
        mohammed monalisa monday123 money123 money1234 moneymaker moneyman moneymoney monique1 monkey01 monkey1!
        monkey11 monkey12 monkey123 monkey123! monkey1234 monkey13 monkey2024 monkey2025 monkey69 monkeyboy monkeybutt
        monkeyman monkeys1 monopoly monster1 monster123 monster2 montana1 montreal moonbeam moonlight moonlight1
        moonshine morgan123 morning1 morrison mortgage moscow123 motdepasse mother01 mother1! mother12 mother123
        mother123! mother1234 mother2024 mother2025 motherfucker motocross motorcycle motorola motorola1 mountain
        mountain1 mountains muenchen muhammad mushroom mushrooms music123 music123! music1234 music2024 music2025
        musical1 musiclover musicman mustang1 mustang123 mustang2 mustang5 mustang50 mustang67 mustang69 mybaby123
        myfamily mygirl123 mylife123 mylove12 mylove123 mypassword mypassword1 myself123 myspace1 myspace123 mysql123
        mystery1 napoli1926 naruto01 naruto1! naruto12 naruto123 naruto123! naruto1234 naruto2024 naruto2025 nascar24
        nascar88 natalia1 natalie1 natasha01 natasha1 natasha1! natasha12 natasha123 natasha123! natasha1234 natasha2024
        natasha2025 nathan123 nathaniel naughty1 nautica1 nebraska netflix1 netflix123 network1 newcastle newlife1
        newpass1 newpassword newport1 newyork01 newyork1 newyork1! newyork12 newyork123 newyork123! newyork1234 newyork2
        newyork2024 newyork2025 newyorkcity nicholas nicholas1 nicholas12 nicolas1 nicole01 nicole1! nicole12 nicole123
        nicole123! nicole1234 nicole2024 nicole2025 nightmare nightwish niners49 ninja123 nintendo nintendo1 nintendo64
        nirvana1 nirvana123 nissan123 nnnnnnnn noidea123 nokia123 nokia5800 nokia6300 normandy northern nothing1
        nothing123 november november1 november11 obsidian october1 october31 octopus1 office01 office1! office12
        office123 office123! office1234 office2024 office2025 office365 oklahoma oliver01 oliver1! oliver12 oliver123
        oliver123! oliver1234 oliver2024 oliver2025 olivia123 omega123 omgomgomg onepiece online123 oooooooo operator
        operator1 optimus1 oracle10 oracle123 orange01 orange1! orange12 orange123 orange123! orange1234 orange2024
        orange2025 oranges1 orlando1 outkast1 outlaw123 overlord oxford123 p@ssw0rd p@ssw0rd! p@ssw0rd1 p@ssw0rd123
        p@ssword p@ssword1 pa$$w0rd pa$$word packard1 packers1 packers12 pacman123 paintball paintball1 pakistan
        pakistan1 pakistan123 pallmall palmeiras pamela123 panasonic pancakes pandora1 panther1 panthers paradise
        paradise1 paramore paramore1 paris123 paris123! paris1234 paris2024 paris2025 parker123 parliament parol123
        pass1234 pass12345 pass123456 passcode passcode1 passion1 passions passpass passphrase passport passw0rd
        passw0rd! passw0rd01 passw0rd1 passw0rd1! passw0rd12 passw0rd123 passw0rd123! passw0rd1234 passw0rd2024
        passw0rd2025 passwd123 password password! password.1 password0 password01 password02 password1 password1!
        password10 password11 password12 password123 password123! password1234 password12345 password13
        password1password password2 password2024 password2025 password21 password22 password23 password3 password321
        password4 password5 password6 password69 password7 password77 password8 password88 password9 password99
        passwordpassword passwords passwort passwort01 passwort1 passwort1! passwort12 passwort123 passwort123!
        passwort1234 passwort2024 passwort2025 patches1 patience patricia patricia1 patrick01 patrick1 patrick1!
        patrick12 patrick123 patrick123! patrick1234 patrick2 patrick2024 patrick2025 patriots patriots1 patriots12
        peace123 peaceful peaches1 peaches2 peanut12 peanut123 peanutbutter peanuts1 pebbles1 penguin1 penguin123
        penguins penis123 penthouse pentium4 people123 pepper01 pepper1! pepper12 pepper123 pepper123! pepper1234
        pepper2024 pepper2025 peppermint pepsi123 perfect1 peter123 peterbilt peterpan phantom1 philadelphia phillies
        phillips phoenix1 phoenix123 photo123 photography photoshop pianoman piglet123 pikachu1 pikachu123 pimpdaddy
        pimpin123 pineapple pineapple1 pink1234 pinkfloyd pinkfloyd1 pinkpink pinky123 pirate123 pirates1 pitbull1
        pizza123 pizza1234 platinum platinum1 playball playboy1 playboy123 player12 player123 playgirl playmate
        playstation playstation2 playstation3 plymouth poiuytre poiuytrewq pokemon01 pokemon1 pokemon1! pokemon12
        pokemon123 pokemon123! pokemon1234 pokemon2024 pokemon2025 polska123 poohbear poohbear1 poohbear2 popcorn1
        popcorn123 popeye123 poppy123 porn1234 pornhub1 pornstar pornstar1 porsche1 porsche9 porsche911 portland
        portugal portugal1 positive postgres postgres1 power123 powerful pppppppp predator predator1 preston1 pretty123
        prettygirl prettyinpink prince123 princesa princesa1 princess princess! princess01 princess1 princess1!
        princess10 princess11 princess12 princess123 princess123! princess1234 princess13 princess14 princess2
        princess2024 princess2025 princess3 princess7 pringles prinzessin privet123 prodigy1 professional professor
        prosperity psycho123 pumas123 pumpkin1 pumpkin123 pumpkin2 punkrock punkrock1 puppies1 puppydog puppylove
        purple01 purple1! purple11 purple12 purple123 purple123! purple1234 purple2024 purple2025 purplerain pussy123
        pussy6969 pussycat q1234567 q12345678 q123456789 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qaz123wsx qazqazqaz qazwsx12
        qazwsx123 qazwsxedc qazwsxedcrfv qazxsw21 qazxswedc qq123456 qq123456789 qqqqqqqq quality1 quantum1 quarterback
        queen123 quicksilver qwaszx12 qwaszx123 qwe123123 qwe123456 qwe123qwe qwe123rty qweasd123 qweasdzxc qweqweqwe
        qwer1234 qwerasdf qwerasdfzxcv qwerty01 qwerty1! qwerty11 qwerty12 qwerty123 qwerty123! qwerty1234 qwerty12345
        qwerty123456 qwerty123456789 qwerty2024 qwerty2025 qwerty321 qwertyqwerty qwertyui qwertyuio qwertyuiop
        qwertyuiop123 qwertz12 qwertz123 qwertzui qwertzuiop qwertzuiop1 rabbit123 rachel12 rachel123 radiohead raiders1
        raiders12 raiders123 rainbow1 rainbow12 rainbow123 rainbow6 rainbows raindrop rambo123 rammstein randy123
        ranger01 ranger1! ranger12 ranger123 ranger123! ranger1234 ranger2024 ranger2025 rangers1 raptor123 raspberry
        raspberrypi rasta420 raymond1 realmadrid realmadrid7 rebecca1 rebecca123 rebelde1 reddevil reddragon redhead1
        redneck1 redskins redskins1 redsox04 redsox123 redtube1 redwings redwings1 remember remember1 renegade republic
        resident residentevil respect1 revolution reynolds ricardo1 richard01 richard1 richard1! richard12 richard123
        richard123! richard1234 richard2024 richard2025 richmond robert01 robert1! robert12 robert123 robert123!
        robert1234 robert2024 robert2025 roberto1 robinhood robinson roblox123 rockandroll rocketman rockets1 rocknroll
        rockstar rockstar1 rocky123 rocky123! rocky1234 rocky2024 rocky2025 roderick rodriguez ronaldinho ronaldo123
        ronaldo7 ronaldo9 roosevelt root123! root1234 root12345 root2024 root2025 rootpass rootroot rosebud1 rosemary
        roxanne1 royal123 rrrrrrrr runescape runescape1 runescape123 russell1 russia123 ryan1234 s1234567 sabrina1
        sailormoon salvador samantha samantha01 samantha1 samantha1! samantha12 samantha123 samantha123! samantha1234
        samantha2 samantha2024 samantha2025 sammy123 samson123 samsung01 samsung1 samsung1! samsung12 samsung123
        samsung123! samsung1234 samsung2024 samsung2025 samurai1 sanchez1 sandiego sandra01 sandra1! sandra12 sandra123
        sandra123! sandra1234 sandra2024 sandra2025 sandwich sanfrancisco santana1 santiago santiago1 saopaulo sarah123
        sasha123 sasuke123 saturday saturn123 savannah savannah1 scarface scarface1 scarlet1 scarlett schalke04
        schatz123 schatzi1 schmetterling schokolade school123 scooby123 scoobydoo scoobydoo1 scooter01 scooter1
        scooter1! scooter12 scooter123 scooter123! scooter1234 scooter2024 scooter2025 scorpio1 scorpion scorpion1
        scotland scotland1 scott123 scotty123 seahawks sebastian sebastian01 sebastian1 sebastian1! sebastian12
        sebastian123 sebastian123! sebastian1234 sebastian2024 sebastian2025 secret01 secret1! secret11 secret12
        secret123 secret123! secret1234 secret2024 secret2025 security security1 seminole seminoles senators senha123
        sephiroth september september1 serenity serenity1 sergey123 sergio123 server01 server1! server12 server123
        server123! server1234 server2024 server2025 service1 service123 sex12345 sexsexsex sexy1234 sexy12345 sexyback
        sexybitch sexybitch1 sexyboy1 sexygirl sexygirl1 sexylady sexylady1 sexymama sexyman1 sexyone1 sexyred1
        sexything shadow01 shadow1! shadow11 shadow12 shadow123 shadow123! shadow1234 shadow2024 shadow2025 shadow69
        shadow99 shadowfax shadowman shalom123 shanghai shannon1 sharks123 sheffield sheridan sherlock shithead
        shithead1 shopping shopping1 shorty12 shorty123 silver01 silver1! silver12 silver123 silver123! silver1234
        silver2024 silver2025 silverado simba123 simple123 simpleplan simpson1 simpsons sinclair singapore sister01
        sister1! sister12 sister123 sister123! sister1234 sister2024 sister2025 skateboard skateboarding skittles
        skittles1 skyline1 skype123 skywalker skywalker1 slapshot slayer123 slayer666 slimshady slipknot slipknot1
        slipknot6 slipknot666 smashing smile123 smiley123 smoke420 smokey01 smokey1! smokey12 smokey123 smokey123!
        smokey1234 smokey2024 smokey2025 smoking1 smooth123 snickers snickers1 sniper123 snoopy01 snoopy1! snoopy12
        snoopy123 snoopy123! snoopy1234 snoopy2024 snoopy2025 snowball snowboard snowboarding snowfall snowflake
        snowman1 snowwhite soccer01 soccer1! soccer10 soccer11 soccer12 soccer123 soccer123! soccer1234 soccer13
        soccer14 soccer2024 soccer2025 soccer22 softball softball1 softball12 sokrates soleil123 solomon1 something
        something1 sometimes sommer01 sommer1! sommer12 sommer123 sommer123! sommer1234 sommer2020 sommer2021 sommer2022
        sommer2023 sommer2024 sommer2025 sonne123 sonnenschein sony1234 sophie123 soulmate sounders southern southpark
        southside southside1 spanking sparkle1 sparky01 sparky1! sparky12 sparky123 sparky123! sparky1234 sparky2024
        sparky2025 sparrow1 spartak1 spartan1 spartan117 spartans special1 spectrum spencer1 spencer123 spiderman
        spiderman1 spiderman123 spiderman2 spitfire spitfire1 spongebob spongebob1 spongebob123 sporting1 spring01
        spring1! spring12 spring123 spring123! spring1234 spring2020 spring2021 spring2022 spring2023 spring2024
        spring2025 spring2026 sqlserver squall123 squirrel squirrel1 ssssssss stanford stanley1 star1234 starbucks
        starbucks1 starcraft starcraft1 starcraft123 starcraft2 starfish stargate stargazer starlight starlight1
        start123 startrek startrek1 starwars starwars1 starwars123 steelers steelers1 steelers7 stefan01 stefan1!
        stefan12 stefan123 stefan123! stefan1234 stefan2024 stefan2025 stephanie stephanie1 stephanie2 stephen1 sterling
        steven01 steven1! steven12 steven123 steven123! steven1234 steven2024 steven2025 stewart1 stingray stonecold
        stonecold1 strawberry strawberry1 strength stripper student1 student12 student123 stupid12 stupid123 subaru123
        subwoofer success1 success123 suckit69 suckmydick sugar123 summer01 summer08 summer09 summer1! summer10 summer11
        summer12 summer123 summer123! summer1234 summer2010 summer2018 summer2019 summer2020 summer2021 summer2022
        summer2023 summer2024 summer2025 summer2026 summer99 summertime sunday123 sunderland sunflower sunflower1
        sunny123 sunnyday sunrise1 sunset123 sunshine sunshine01 sunshine1 sunshine1! sunshine12 sunshine123
        sunshine123! sunshine1234 sunshine2 sunshine2024 sunshine2025 superadmin superboy supergirl superior superman
        superman01 superman1 superman1! superman12 superman123 superman123! superman1234 superman2 superman2024
        superman2025 superman7 supernatural supernova supersecret supersonic superstar superstar1 superuser support1
        support123 surfer123 surfing1 survivor suzuki12 suzuki123 sweetgirl sweetheart sweetie1 sweetness sweetpea
        sweety01 sweety1! sweety12 sweety123 sweety123! sweety1234 sweety2024 sweety2025 swimming swordfish swordfish1
        sydney123 sylvester synergy1 syracuse sysadmin sysadmin1 system01 system1! system12 system123 system123!
        system1234 system2024 system2025 system32 taekwondo tanner123 taylor01 taylor1! taylor12 taylor123 taylor123!
        taylor1234 taylor13 taylor2024 taylor2025 taylorswift taylorswift1 teacher1 teacher123 teamo123 teamo1234
        teamo4ever teamomucho teddy123 teddybear teddybear1 teddybear2 teenager tekken123 telefono telephone television
        temp123! temp1234 temp12345 temp2024 temp2025 temporary temppass tennessee tennis12 tennis123 tequiero tequiero1
        tequieromucho tequila1 teresa123 terminal terminator terminator2 test123! test1234 test12345 test123456
        test123test test1test test2024 test2025 tester123 testing1 testing123 testpass testpassword testtest testtest1
        tetris123 texas123 texas123! texas1234 texas2024 texas2025 thebeast thebest1 theboss1 thegame1 theking1
        theking123 theman123 thematrix theodore thepassword theresa1 therock1 thesims2 thesims3 thomas01 thomas1!
        thomas12 thomas123 thomas123! thomas1234 thomas2024 thomas2025 thorsten01 thorsten1 thorsten1! thorsten12
        thorsten123 thorsten123! thorsten1234 thorsten2024 thorsten2025 thunder1 thunder123 thunderbird thunderbolt
        thursday ti4mo123 tiffany1 tiger123 tiger1234 tigers01 tigers123 tigerwoods tigger01 tigger1! tigger12 tigger123
        tigger123! tigger1234 tigger2024 tigger2025 timberlake timothy1 timothy123 tinkerbell tinkerbell1 tinkerbell2
        titanic1 titanium together tokiohotel tommy123 tomorrow toor1234 topsecret topsecret1 toronto1 tortoise toshiba1
        toshiba123 tottenham tottenham1 toulouse toyota123 training training1 training123 transformers trinidad trinity1
        trinity3 tristan1 trojans1 tropical trouble1 trucker1 truelies truelove truelove1 trumpet1 trustme1 trustno1
        trustno1! trustnoone tttttttt tucker01 tucker1! tucker12 tucker123 tucker123! tucker1234 tucker2024 tucker2025
        tuesday1 turkey123 turtles1 tweety12 tweety123 tweetybird twilight twilight1 twilight123 twinkle1 twister1
        twitter1 twitter123 ubnt1234 undertaker undertow unicorn1 unicorn123 unicorns universal universe universe1
        university unknown1 upsidedown user123! user1234 user12345 user2024 user2025 username username1 uuuuuuuu
        valencia valentin valentina valentina1 valentine valentine1 valerie1 vampire1 vampire123 vampires vanessa01
        vanessa1 vanessa1! vanessa12 vanessa123 vanessa123! vanessa1234 vanessa2024 vanessa2025 vanhalen vanilla1
        vegeta123 venezuela venezuela1 vengeance veronica veronica01 veronica1 veronica1! veronica12 veronica123
        veronica123! veronica1234 veronica2024 veronica2025 vertigo1 victor123 victoria victoria01 victoria1 victoria1!
        victoria12 victoria123 victoria123! victoria1234 victoria2024 victoria2025 victorious victory1 vietnam1
        viking123 vikings1 vincent1 vincent123 violet123 violetta virginia virginia1 vladimir vladislav voetbal1
        volcom123 volkswagen volleyball volleyball1 volvo123 voyager1 vvvvvvvv w1234567 w123456789 wachtwoord walker123
        wallace1 wangyang1 warcraft warcraft1 warcraft3 warrior1 warrior123 warriors washington waterfall waterloo
        watermelon watermelon1 webmaster webster1 wednesday welcome! welcome01 welcome1 welcome1! welcome12 welcome123
        welcome123! welcome1234 welcome2 welcome2020 welcome2021 welcome2022 welcome2023 welcome2024 welcome2025
        welcome2026 welcome3 welcome@123 welkom01 welkom12 welkom123 wellington werder123 westlife westside westside1
        westwood whatever whatever1 whatever12 whatever123 whatever2 whiskers whiskey1 whitesox whitney1 whocares
        wildcat1 wildcats wildcats1 wildfire william01 william1 william1! william12 william123 william123! william1234
        william2 william2024 william2025 williams williams1 willkommen willkommen1 willow123 windmill windows1 windows10
        windows7 windows98 windowsxp winner123 winnie123 winniethepooh winston1 winston123 winter01 winter1! winter12
        winter123 winter123! winter1234 winter2019 winter2020 winter2021 winter2022 winter2023 winter2024 winter2025
        winter2026 winter99 wireless wisconsin wisdom123 woaini123 woaini1314 woaini520 wodemima wolfgang wolfpack
        wolfpack1 wolverine wolverine1 wolverines wonderful wonderful1 wonderland wonderwall woodland woodstock
        worldofwarcraft woshishui wrangler wrestler wrestling wrestling1 wsxedcrfv wutang36 wutangclan wwwwwwww x1234567
        xavier123 xbox3600 xxxxxxxx xxxxxxxx1 xxxxxxxxxx yahoo123 yahoo1234 yamaha123 yamahar1 yankees1 yankees12
        yankees123 yankees2 yankees23 yellow01 yellow1! yellow11 yellow12 yellow123 yellow123! yellow1234 yellow2024
        yellow2025 yesterday yosemite yourmom1 yourmom123 yourmother youtube1 youtube123 yugioh123 yyyyyyyy z1234567
        zachary1 zaq!2wsx zaq12wsx zaq1xsw2 zaq1zaq1 zelda123 zenit123 zeppelin zeppelin1 zildjian zoey1234 zombie123
        zombies1 zomer2020 zxc12345 zxc123456 zxcasdqwe zxcvbnm, zxcvbnm1 zxcvbnm123 zxcvbnm123456 zxcvbnma zxcvzxcv
        zzzzzzzz
        """
}
