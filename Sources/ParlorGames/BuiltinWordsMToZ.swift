extension BuiltinWords {
    /// The words from M to Z, in order, with spaces and line feeds between them.
    static let mToZ = """
        macaroni machine machines made magazine magazines magic magical magician magicians magnet magnetic
        magnets magnificent magnolia magnolias mahogany maid maids mail mailbox mailboxes main maintain
        maintained maintaining maintains major make makes making male mammal mammals man manage managed
        manages managing mandolin mandolins mane manes mango mangoes manner manners mansion mansions mantel
        mantels many map maple maples maps marble marbles march marched marches marching margin margins
        marigold marigolds marine mark marked market markets marking marks marmalade married marries marry
        marrying marsh marshes marshmallow marshmallows mask masks mason masons mass masses massive mast
        master masters masts mat match matchbox matchboxes matched matches matching mate mated material
        materials mates mating mats matter mattered mattering matters mattress mattresses mature maximum maybe
        maze mazes meadow meadows meager meal meals mean meaning meaningful meanings means meant measure
        measured measures measuring meatball meatballs meatloaf mechanic mechanical mechanics medal medals
        meddle meddled meddles meddling medical medicine medicines medieval medium meek meet meeting meetings
        meets mellow melodic melodies melody melon melons melt melted melting melts member members memorable
        memories memorize memorized memorizes memorizing memory men menace menaces mend mended mending mends
        mental mention mentioned mentioning mentions menu menus merchant merchants mercy merit merits mermaid
        mermaids merry mess message messages messes messy met metal metallic metals meteor meteors meter
        meters method methods metronome metronomes mice microphone microphones microscope microscopes midday
        middle middles midnight mighty migrate migrated migrates migrating mild mile miles milk milked milking
        milks milkshake milkshakes mill mills mimic mimicked mimicking mimics mind mindful minds mine miner
        mineral minerals miners mingle mingled mingles mingling miniature minister ministers minor minorities
        minority minute minutes mirror mirrors miserable miss missed misses missing mission missions mist
        mistake mistakes misty mitten mittens mix mixed mixes mixing mixture mixtures moan moaned moaning
        moans mobile mode model models modern modes modest moist molasses mole moles moment moments money
        monkey monkeys monster monsters month monthly months monument monuments mood moods moody moon
        moonlight moons mop mops moral morals more morning mornings mosaic mosaics mosquito mosquitoes moss
        most mostly moth mother mothers moths motion motionless motions motive motives motor motorboat
        motorboats motorcycle motorcycles motors mound mounds mount mountain mountains mounted mounting mounts
        mouse mouth mouths move moved movement movements moves movie movies moving mud muddy muffin muffins
        mug mugs mulberries mulberry mule mules multiplied multiplies multiply multiplying mumble mumbled
        mumbles mumbling mural murals murky muscle muscles museum museums mushroom mushrooms musical musician
        musicians mustard musty mute muted mutter muttered muttering mutters myself mysteries mysterious
        mystery myth myths nail nails naive name named names naming napkin napkins narrow nasty nation nations
        natural nature natures naughty navies navigate navigated navigates navigating navy near nearby nearly
        neat necessary necessity neck necklace necklaces necks necktie neckties nectarine nectarines need
        needed needing needle needles needs needy negative neglect neglected neglecting neglects neighbor
        neighborhood neighbors neither nephew nephews nerve nerves nervous nest nests net nets nettle nettles
        network networks neutral never nevertheless new newcomer newcomers news newspaper newspapers newt
        newts nibble nibbled nibbles nibbling nice nickname nicknames niece nieces night nightingale
        nightingales nightmare nightmares nights nine nineteen ninety noble nobody nod nodded nodding nods
        noise noises noisy none nonsense noodle noodles nook nooks noon normal north northern nose noses nosy
        not notable note notebook notebooks noted notes nothing notice noticed notices noticing notified
        notifies notify notifying noting notion notions nourish nourished nourishes nourishing novel novels
        now nowhere nudge nudged nudges nudging numb number numbered numbering numbers numerous nurse
        nurseries nursery nurses nutmeg nutmegs nutritious nutshell nutshells oak oaks oar oars oasis oatmeal
        obedient obey obeyed obeying obeys object objected objecting objects oblong oboe oboes observe
        observed observes observing obstacle obstacles obtain obtained obtaining obtains obvious occasion
        occasional occasions occupied occupies occupy occupying occur occurred occurring occurs ocean oceans
        octagon octagons octopus octopuses odd odor odors off offer offered offering offers office officer
        officers offices official often oily old olive olives omelet omelets omelette omelettes once one onion
        onions only onto open opened opening opens opera operas operate operated operates operating operation
        operations operator operators opinion opinions opportunity oppose opposed opposes opposing opposite
        optimal option optional options oral orange oranges orbit orbits orchard orchards orchestra orchestras
        orchid orchids order ordered ordering orders ordinary oregano organ organic organize organized
        organizes organizing organs origami origin original origins ornament ornaments ostrich ostriches other
        otherwise otter otters ounce ounces our ours ourselves out outcome outcomes outdoor outdoors outer
        outfit outfits outgoing outlet outlets outline outlines output outputs outside outstanding oval ovals
        oven ovens over overall overcoat overcoats overcome overcomes overcoming overflow overflowed
        overflowing overflows overlook overlooked overlooking overlooks owe owed owes owing owl owls own owner
        owners oxen oxygen oyster oysters pace paces pack package packages packed packing packs pad paddle
        paddled paddles paddling pads page pages paid paint paintbrush paintbrushes painted painter painters
        painting paintings paints pair pairs palace palaces pale palm palms paltry pan pancake pancakes panda
        pandas panel panels panic panicked panicking panics pans panther panthers papaya papayas paper papers
        parachute parachutes parade parades paradise paradises paragraph paragraphs parallel parasol parasols
        parcel parcels parent parents park parked parking parks parrot parrots parsley parsnip parsnips
        parsonage parsonages part partial participate participated participates particle particles parties
        partner partners parts party pass passage passages passed passenger passengers passes passing passion
        passions passive passport passports past paste pasted pastes pastime pastimes pasting pastries pastry
        pasts pasture pastures pat patch patches path paths pathway pathways patience patient patients patio
        patios pats patted pattern patterns patting pause paused pauses pausing paw paws pay paying payment
        payments pays pea peace peaceful peach peaches peacock peacocks peak peaks peanut peanuts pear pearl
        pearls pears peas peasant peasants pebble pebbles peculiar pedal pedals pedestrian pedestrians peek
        peeked peeking peeks peel peeled peeling peels peer peered peering peers pelican pelicans pen pencil
        pencils pendulum pendulums penguin penguins pennies penny pens pentagon pentagons people pepper
        peppermint peppermints peppers percent percents perch perched perches perching perfect perform
        performance performances performed performing performs perhaps period periods permanent permission
        permit permits permitted permitting persimmon persimmons person personal personality persons persuade
        persuaded persuades persuading pester pestered pestering pesters petal petals petty petunia petunias
        phase phases phone phoned phones phoning photograph photographs phrase phrases physical physics piano
        pianos piccolo piccolos pick picked picking pickle pickles picks picnic picnics picture pictures pie
        piece pieces pies pig pigeon pigeons piglet piglets pigs pile piles pill pillar pillars pillow pillows
        pills pilot pilots pin pinch pinched pinches pinching pineapple pineapples pink pins pinwheel
        pinwheels pipe pipes pirate pirates pit pitch pitches pits pizza pizzas place placed places placing
        plain plan plane planes planet planets plank planks planned planning plans plant planted planting
        plants plaster plasters plastic plastics plate plateau plateaus plates platform platforms platter
        platters platypus platypuses play played playful playground playgrounds playing plays plaza plazas
        plead pleaded pleading pleads pleasant please pleased pleases pleasing pleasure pleasures pliers plot
        plots plow plowed plowing plows pluck plucked plucking plucks plug plugged plugging plugs plum plumber
        plumbers plump plums plunge plunged plunges plunging plush pocket pocketbook pocketbooks pockets poem
        poems poet poets point pointed pointing points poised poison poisons poke poked pokes poking pole
        poles policies policy polish polished polishes polishing polite political politics pollution poncho
        ponchos pond ponder pondered pondering ponders ponds ponies pony pool pools poor pop popcorn poplar
        poplars popped poppies popping poppy pops popular population porch porches porridge portable portion
        portions portrait portraits position positions positive possess possessed possesses possessing
        possession possessions possibility possible postcard postcards poster posters postman postmen pot
        potato potatoes potential pots potter potters pounce pounced pounces pouncing pound pounds pour poured
        pouring pours poverty powder powders power powerful powers practical practice practiced practices
        practicing praise praised praises praising pray prayed prayer prayers praying prays preach preached
        preaches preaching precious precise predict predicted predicting predicts prefer preferred preferring
        prefers prepare prepared prepares preparing presence present presents preserve preserved preserves
        preserving president presidents press pressed presses pressing pressure pressures pretend pretended
        pretending pretends pretty pretzel pretzels prevent prevented preventing prevents previous price
        prices prickly pride primary prime primitive primrose primroses prince princes princess princesses
        principle principles print printed printer printers printing prints priorities priority prism prisms
        prison prisons private privilege privileges prize prizes probable probably problem problems procedure
        procedures proceed proceeded proceeding proceeds process processes proclaim proclaimed proclaiming
        proclaims produce produced produces producing product production productions products profession
        professions professor professors profit profits program programs progress progresses project projects
        promise promised promises promising prompt proper properties property proposal proposals propose
        proposed proposes proposing prosper prospered prospering prospers protect protected protecting
        protection protections protects protest protests proud proverb proverbs provide provided provides
        providing province provinces prowl prowled prowling prowls public publish published publishes
        publishing pudding puddings puddle puddles pull pulled pulley pulleys pulling pulls pump pumped
        pumping pumpkin pumpkins pumps punch punched punches punching puncture punctured punctures puncturing
        punish punished punishes punishing punishment punishments pupil pupils puppet puppets puppies puppy
        purchase purchased purchases purchasing pure purple purpose purposes purr purred purring purrs purse
        purses pursue pursued pursues pursuing push pushed pushes pushing put puts putting puzzle puzzled
        puzzles puzzling pyramid pyramids quail quails quaint qualified qualifies qualify qualifying qualities
        quality quantities quantity quarrel quarreled quarreling quarrels quarter quarters quartz queen queens
        quest question questioned questioning questions quests queue queued queues queuing quick quickly
        quicksand quiet quietly quilt quilts quirky quit quite quits quiver quivered quivering quivers quiz
        quizzes rabbit rabbits raccoon raccoons race raced races racing racket rackets radar radars radiant
        radio radios radish radishes raft rafts rag rags rail railroad railroads rails railway railways rain
        rainbow rainbows raincoat raincoats rained rainfall rainfalls raining rains raise raised raises raisin
        raising raisins rake rakes ran rang range ranges rank ranks rapid rapidly rare rarely rash raspberries
        raspberry rat rate rates ratio ratios rats rattle rattled rattles rattlesnake rattlesnakes rattling
        raven ravens ravioli raw ray rays reach reached reaches reaching reaction reactions read reader
        readers reading reads ready real realistic realize realized realizes realizing really realm realms
        rear rears reason reasonable reasons reassure reassured reassures reassuring rebel rebelled rebelling
        rebels recall recalled recalling recalls receipt receipts receive received receives receiving recent
        reception receptions recipe recipes recital recitals recite recited recites reciting reckless
        recognize recognized recognizes recognizing recommend recommended recommending recommends record
        recorded recording records recover recovered recoveries recovering recovers recovery rectangle
        rectangles red reduce reduced reduces reducing reed reeds refer referee referees referred referring
        refers reflect reflected reflecting reflection reflections reflects refuge refuges refund refunds
        refuse refused refuses refusing regal regard regarded regarding regards region regions regret regrets
        regretted regretting regular rehearsal rehearsals rehearse rehearsed rehearses rehearsing reject
        rejected rejecting rejects relate related relates relating relation relations relative relatives relax
        relaxed relaxes relaxing release released releases releasing reliable relied relief reliefs relies
        religion religions reluctant rely relying remain remained remaining remains remark remarkable remarked
        remarking remarks remedies remedy remember remembered remembering remembers remind reminded reminder
        reminders reminding reminds remote remove removed removes removing rent rented renting rents repair
        repaired repairing repairs repeat repeated repeating repeats replace replaced replaces replacing
        replied replies reply replying report reported reporter reporters reporting reports represent
        represented representing represents reproduce reproduced reproduces reproducing reptile reptiles
        republic republics reputation reputations request requested requesting requests require required
        requirement requirements requires requiring rescue rescued rescues rescuing research resemble
        resembled resembles resembling resent resented resenting resents reserve reserved reserves reserving
        resident residents resist resisted resisting resists resolve resolved resolves resolving resource
        resources respect respected respectful respecting respects respond responded responding responds
        responsible rest restaurant restaurants rested resting restless restore restored restores restoring
        restrict restricted restricting restricts rests result results retire retired retires retiring retreat
        retreats return returned returning returns reunion reunions reveal revealed revealing reveals revenge
        reverse reversed reverses reversing revise revised revises revising reward rewarded rewarding rewards
        rhinoceros rhinoceroses rhubarb rhyme rhymed rhymes rhyming rhythm rhythms ribbon ribbons rice rich
        riches ridden riddle riddles ride rider riders rides riding right rim rims ring ringing rings rink
        rinks rinse rinsed rinses rinsing riot riots ripe ripen ripened ripening ripens ripple ripples rise
        risen rises rising risk risked risking risks ritual rituals rival rivals river rivers road roads roam
        roamed roaming roams roar roared roaring roars roast roasted roasting roasts rob robbed robbing robe
        robes robin robins robot robots robs rock rocked rocket rockets rocking rocks rode rogue rogues role
        roles roll rolled rolling rolls romance roof roofs room rooms roomy rooster roosters root roots rope
        ropes rose rosemary roses rosy rotate rotated rotates rotating rotten rough round route routes routine
        routines row rowboat rowboats rowdy rowed rowing rows royal rub rubbed rubber rubbery rubbing rubies
        rubs ruby rudder rudders rude rugged ruin ruined ruining ruins rule ruled ruler rulers rules ruling
        rumble rumbled rumbles rumbling rumor rumors run rung runner runners running runs rural rush rushed
        rushes rushing rustle rustled rustles rustling rusty sack sacks sacrifice sacrificed sacrifices
        sacrificing sad saddle saddles sadly safe safely safety saffron said sail sailboat sailboats sailed
        sailing sailor sailors sails salad salads salaries salary salmon salty salute saluted salutes saluting
        same sample sampled samples sampling sand sandal sandals sandbox sandboxes sandpaper sandwich
        sandwiches sandy sane sang sank sapphire sapphires sat satellite satellites satin satisfaction
        satisfied satisfies satisfy satisfying sauce saucer saucers sauces sauna saunas sausage sausages save
        saved saves saving saw saws saxophone saxophones say saying says scale scales scallop scallops scamper
        scampered scampering scampers scandal scandals scar scare scarecrow scarecrows scared scares scarf
        scaring scars scarves scary scatter scattered scattering scatters scene scenery scenes scent scents
        schedule schedules scheme schemes scholar scholars school schools science scientific scientist
        scientists scissors scold scolded scolding scolds scoop scooped scooping scoops scooter scooters
        scorch scorched scorches scorching score scores scout scouts scowl scowled scowling scowls scramble
        scrambled scrambles scrambling scrap scrapbook scrapbooks scrape scraped scrapes scraping scraps
        scratch scratched scratches scratching scream screamed screaming screams screech screeched screeches
        screeching screen screens screwdriver screwdrivers scribble scribbled scribbles scribbling script
        scripts scrub scrubbed scrubbing scrubs sea seafood seal sealed sealing seals search searched searches
        searching seas seashell seashells seaside seasides season seasons seat seats seaweed second secondary
        secret secrets section sections sector sectors secure see seed seeds seeing seek seeking seeks seem
        seemed seeming seems seen sees seesaw seesaws seize seized seizes seizing select selected selecting
        selection selections selects selfish sell selling sells semicircle semicircles send sending sends
        senior sense senses sensible sensitive sent sentence sentences separate separated separates separating
        sequence sequences series serious servant servants serve served serves service services serving
        session sessions set sets setting settings settle settled settler settlers settles settling seven
        seventeen seventh seventy several severe sew sewed sewing sewn sews shabby shade shaded shades shading
        shadow shadows shadowy shady shaggy shake shaken shakes shaking shaky shallow shame shamrock shamrocks
        shape shapes share shared shares sharing shark sharks sharp sharply shatter shattered shattering
        shatters shave shaved shaves shaving she shed sheds sheep sheet sheets shelf shell shells shelter
        sheltered sheltering shelters shelves shepherd shepherds sherbet sheriff sheriffs shield shields shift
        shifts shine shines shining shiny ship ships shipwreck shipwrecks shirt shirts shiver shivered
        shivering shivers shoal shoals shock shocked shocking shocks shoe shoelace shoelaces shoemaker
        shoemakers shoes shone shook shoot shooting shoots shop shopkeeper shopkeepers shopped shopping shops
        shore shores short shortage shortages shot shots shoulder shoulders shout shouted shouting shouts
        shovel shoveled shoveling shovels show showed shower showers showing shown shows shrank shriek
        shrieked shrieking shrieks shrill shrimp shrink shrinks shrivel shriveled shriveling shrivels shrub
        shrubs shrug shrugged shrugging shrugs shrunk shuffle shuffled shuffles shuffling shut shuts shutting
        shy sick sickle sickles sidewalk sidewalks siege sieges sigh sighed sighing sighs sight sights sign
        signal signaled signaling signals signs silence silent silently silhouette silhouettes silk silky
        silly silver similar simmer simmered simmering simmers simple simply since sincere sing singer singers
        singing single sings sink sinking sinks sip sipped sipping sips sir sirs sister sisters sit site sites
        sits sitting situation situations six sixteen sixth sixty size sizes sizzle sizzled sizzles sizzling
        skate skateboard skateboards skater skaters skates skeleton skeletons sketch sketched sketches
        sketching skid skidded skidding skids skier skiers skies skill skillful skills skin skinny skins skip
        skipped skipping skips skirt skirts skull skulls sky skyscraper skyscrapers slap slapped slapping
        slaps sled sleds sleep sleeping sleeps sleepy sleet sleeve sleeves sleigh sleighs slender slept slice
        sliced slices slicing slide slides sliding slight slim sling slings slip slipped slipper slippers
        slippery slipping slips slither slithered slithering slithers slope slopes slot slots slow slowed
        slowing slowly slows slug slugs slung sly small smart smash smashed smashes smashing smell smelled
        smelling smells smile smiled smiles smiling smoke smoked smokes smoking smooth smoothed smoothie
        smoothies smoothing smooths smuggle smuggled smuggles smuggling snack snacks snail snails snake snakes
        snap snapped snapping snaps snarl snarled snarling snarls snatch snatched snatches snatching sneak
        sneaking sneaks sneeze sneezed sneezes sneezing sniff sniffed sniffing sniffs snore snored snores
        snoring snorkel snorkels snow snowball snowballs snowflake snowflakes snowman snowmen snug soak soaked
        soaking soaks soap soaps soar soared soaring soars sob sobbed sobbing sobs soccer sociable social sock
        socks soda sofa sofas soft soften softened softening softens softly soggy soil solar sold soldier
        soldiers solid solution solutions solve solved solves solving some somebody somehow someone something
        sometimes somewhat somewhere son song songbird songbirds songs sons soon soothe soothed soothes
        soothing sorbet sorbets sore sorry sort sorts sought soul souls sound sounded sounding sounds soup
        soups sour source sources south southern sow sowed sowing sows space spaces spaceship spaceships
        spacious spade spades spaghetti span spanner spanners spans spark sparked sparking sparkle sparkled
        sparkles sparkling sparks sparrow sparrows sparse speak speaking speaks spear spears special species
        specific spectacular speech speeches speed speeds spell spelled spelling spells spend spending spends
        spent sphere spheres spherical spice spices spicy spider spiders spies spiky spill spilled spilling
        spills spin spinach spinning spins spiral spirit spirits splash splashed splashes splashing splendid
        splinter splintered splintering splinters split splits splitting spoil spoiled spoiling spoils spoke
        spoken sponge sponges spoon spoons sport sports spot spotless spotlight spotlights spots spotted
        sprang spray sprayed spraying sprays spread spreading spreads spring springing springs sprinkle
        sprinkled sprinkler sprinklers sprinkles sprinkling sprout sprouted sprouting sprouts sprung spun spy
        square squares squash squashed squashes squashing squeak squeaked squeaking squeaks squeal squealed
        squealing squeals squeeze squeezed squeezes squeezing squid squirrel squirrels stable stables stack
        stacked stacking stacks stadium stadiums staff staffs stage stages stagger staggered staggering
        staggers stain stained staining stains stair stairs stake stakes stale stall stalls stamp stamped
        stamping stamps stand standard standards standing stands star stare stared stares starfish staring
        stark starlight starry stars start started starting startle startled startles startling starts state
        statement statements states station stations statue statues status statuses stay stayed staying stays
        steady steak steaks steal stealing steals steam steamboat steamboats steamed steaming steams steel
        steels steep steer steered steering steers stem stems stencil stencils step stepladder stepladders
        stepped stepping steps stereo stereos stew stews stick sticking sticks sticky stiff still sting
        stinging stings stingy stir stirred stirring stirs stitch stitched stitches stitching stock stocking
        stockings stocks stole stolen stomach stomachs stomp stomped stomping stomps stone stones stood stool
        stools stop stopped stopping stops stopwatch stopwatches store stored stores stories storing stork
        storks storm storms stormy story stove stoves straight straighten straightened straightens strain
        strained straining strains strange stranger strangers strap strapped strapping straps straw
        strawberries strawberry straws stream streams street streets strengthen strengthened strengthens
        stretch stretched stretches stretching strict stride strides striding strike strikes striking string
        strings strip stripe stripes strips strive strives striving strode stroke strokes stroll strolled
        strolling strolls strong stronghold strongholds struck structure structures struggle struggled
        struggles struggling stubborn stuck student students stuff stuffed stuffing stuffs stumble stumbled
        stumbles stumbling stump stumps stung sturdy style styles stylish subject subjects submarine
        submarines submit submits submitted submitting substance substances subtle subtract subtracted
        subtracting subtracts suburb suburbs succeed succeeded succeeding succeeds success successes sudden
        suddenly suffer suffered suffering suffers sugar sugars sugary suggest suggested suggesting suggestion
        suggestions suggests suit suitable suitcase suitcases suits sum summer summers summit summits sums sun
        sunflower sunflowers sung sunglasses sunk sunlight sunny sunrise sunrises suns sunset sunsets sunshine
        super superb superior supervise supervised supervises supervising supper suppers supplied supplies
        supply supplying support supported supporting supports suppose supposed supposes supposing sure surely
        surface surfaces surfboard surfboards surgeon surgeons surprise surprised surprises surprising
        surrender surrendered surrendering surrenders surround surrounded surrounding surrounds survey surveys
        survive survived survives surviving suspect suspected suspecting suspects suspend suspended suspending
        suspends suspicious swallow swallows swam swamp swamps swan swans swap swapped swapping swaps swarm
        swarms sway swayed swaying sways swear swears sweater sweaters sweep sweeping sweeps sweet swell
        swelling swells swept swift swim swimmer swimmers swimming swims swimsuit swimsuits swing swinging
        swings swirl swirled swirling swirls switch switched switches switching swollen sword swords swore
        sworn swum swung sycamore sycamores symbol symbolic symbols sympathetic symptom symptoms syrup syrups
        system systems table tablecloth tablecloths tables tablespoon tablespoons tablet tablets taco tacos
        tadpole tadpoles tag tags tail tailor tailors tails take taken takes taking tale talent talents tales
        talk talked talking talks tall tambourine tambourines tame tamed tames taming tangerine tangerines
        tangible tangle tangled tangles tangling tank tanks tap tape tapes tapestries tapestry tapped tapping
        taps target targets tarragon tart tarts task tasks taste tasted tastes tasting tasty taught tavern
        taverns tax taxes taxi taxis tea teach teacher teachers teaches teaching teacup teacups team teams
        teapot teapots tear tearing tears tease teased teases teasing teaspoon teaspoons technique techniques
        tedious teeth telegram telegrams telegraph telegraphs telephone telephones telescope telescopes
        television televisions tell telling tells temper temperature temperatures tempers temple temples tempt
        tempted tempting tempts ten tendencies tendency tender tennis tension tent tenth tents term terms
        terrace terraces terrible terrific terrified terrifies terrify terrifying territories territory terror
        test tested testing tests text texts texture textures than thank thanked thanking thanks that thaw
        thawed thawing thaws the theater theaters their theirs them theme themes themselves then theories
        theory there therefore thermometer thermometers these they thick thief thieves thimble thimbles thin
        thing things think thinking thinks third thirds thirst thirsty thirteen thirty this thistle thistles
        thorn thorns thorny thorough those thought thoughtful thoughts thousand thread threads threat threaten
        threatened threatening threatens threats three threw thrill thrilled thrilling thrills throat throats
        throb throbbed throbbing throbs throne thrones through throughout throw throwing thrown throws thrush
        thrushes thrust thumb thumbs thump thumped thumping thumps thunder thunderstorm thus thyme tick ticked
        ticket tickets ticking tickle tickled tickles tickling ticks tide tides tidied tidies tidy tidying tie
        tied ties tiger tigers tight tile tiles tilt tilted tilting tilts timber timbers time timely times
        timid tinker tinkered tinkering tinkers tint tints tiny tip tips tire tired tires tiresome tiring
        title titles toad toads toast toasted toasting toasts today toddler toddlers toe toenail toenails toes
        toffee toffees together told tomato tomatoes tomorrow tone tones tongue tongues tonight too took tool
        tools tooth toothache toothaches toothbrush toothbrushes toothpaste toothpastes topaz topazes topic
        topics topple toppled topples toppling torch torches tore torment tormented tormenting torments torn
        tornado tornadoes tortoise tortoises toss tossed tosses tossing total touch touched touches touching
        tough tour toured touring tourist tourists tours tow toward towards towed towel towels tower towers
        towing town towns tows toxic toy toys trace traced traces tracing track tracked tracking tracks
        tractor tractors trade traded trader traders trades trading tradition traditions traffic tragedies
        tragedy tragic trail trails train trained training trains trait traits tram trams transfer transferred
        transfers transform transformed transforming transforms translate translated translates translating
        transparent transport transported transporting transports trap trapeze trapezes trapped trapping traps
        trash travel traveled traveler travelers traveling travels tray trays tread treading treads treasure
        treasured treasures treasuring treat treated treaties treating treatment treatments treats treaty tree
        trees treetop treetops trek treks tremble trembled trembles trembling tremendous trench trenches trend
        trends trial trials triangle triangles triangular tribe tribes trick tricked tricking trickle trickled
        trickles trickling tricks tricky tricycle tricycles tried tries trim trimmed trimming trims trip
        tripped tripping trips triumph triumphed triumphing triumphs trivial trod trolley trolleys trombone
        trombones trophies trophy tropical trot trots trotted trotting trouble troubled troubles troubling
        trough troughs trousers trout trowel trowels truck trucks trudge trudged trudges trudging true truly
        trumpet trumpets trunk trunks trust trusted trusting trusts trusty truth truthful try trying tub tuba
        tubas tube tubes tubs tuck tucked tucking tucks tug tugboat tugboats tugged tugging tugs tulip tulips
        tumble tumbled tumbles tumbling tune tunes tunnel tunnels turn turned turning turnip turnips turns
        turquoise turquoises turtle turtles tutor tutored tutoring tutors tweezers twelve twenty twice twig
        twigs twilight twin twinkle twinkled twinkles twinkling twins twirl twirled twirling twirls twist
        twisted twisting twists two tying type typed types typical typing ugly ukulele ukuleles ultimate
        umbrella umbrellas unable unaware uncertain uncle uncles uncommon under underground underneath
        understand understands understood underwater undid undo undoes undone undress undressed undresses
        undressing unequal uneven unfair unfamiliar unfit unhappy unhealthy unicorn unicorns uniform uniforms
        union unions unique unit unite united unites uniting units universe universes universities university
        unkind unknown unless unlikely unlock unlocked unlocking unlocks unlucky unpack unpacked unpacking
        unpacks unpleasant unreal unruly unsafe untie untied unties until untying unusual unwilling upbeat
        update updates upon upper upright upset upsets upstairs upstream upward urban urge urged urgent urges
        urging usage usages use used useful useless uses usher ushers using usual usually utensil utensils
        utter vacation vacations vacuum vague vain valid valley valleys valuable value values valve valves van
        vanilla vanish vanished vanishes vanishing vans varied varies varieties variety vary varying vase
        vases vast vegetable vegetables vehicle vehicles veil veils vein veins velvet velvety venture ventured
        ventures venturing version versions vessel vessels vest vests vibrant vibrate vibrated vibrates
        vibrating vicious victim victims victories victorious victory view views vigilant vigorous village
        villages villain villains vine vinegar vines viola violas violent violet violets violin violins
        virtual visible visit visited visiting visitor visitors visits vital vitamin vitamins vivid voice
        voices volcano volcanoes volleyball volleyballs volume volumes volunteer volunteers vote voted votes
        voting vow vowed vowing vows voyage voyages waddle waddled waddles waddling wade waded wades wading
        waffle waffles wag wage wages wagged wagging wagon wagons wags wail wailed wailing wails waist
        waistcoat waistcoats waists wait waited waiter waiters waiting waitress waitresses waits wake wakes
        waking walk walked walking walks wall wallet wallets walls walnut walnuts walrus walruses wander
        wandered wandering wanders want wanted wanting wants war wardrobe wardrobes warm warmed warming warmly
        warms warmth warn warned warning warnings warns warrior warriors wars wary was wash washed washes
        washing wasp wasps waste wasted wastes wasting watch watched watches watchful watching water
        watercolor watercolors watered waterfall waterfalls watering watermelon watermelons waters watery wave
        waved waves waving wavy wax way ways weak weakness wealth wealthy weapon weapons wear wearing wears
        weary weasel weasels weather weave weaver weavers weaves weaving wedding weddings wedge wedges weed
        weeded weeding weeds week weekday weekdays weekend weekends weekly weeks weep weeping weeps weigh
        weighed weighing weighs weight weightless weights welcome welcomed welcomes welcoming well went wept
        were west western wet whale whales what whatever wheel wheelbarrow wheelbarrows wheelchair wheelchairs
        wheels wheeze wheezed wheezes wheezing when whenever where wherever whether which while whimper
        whimpered whimpering whimpers whimsical whine whined whines whining whip whipped whipping whips whirl
        whirled whirling whirlpool whirlpools whirls whirr whirred whirring whirrs whisker whiskers whisper
        whispered whispering whispers whistle whistled whistles whistling white who whole whom whose why
        wicked wide widen widened widening widens width widths wife wiggly wigwam wigwams wild wilderness
        wildlife willing willow willows win wind winding windmill windmills window windows windowsill
        windowsills winds windshield windshields windsock windsocks windy wing winged wings wink winked
        winking winks winning wins winter winters wipe wiped wipes wiping wire wires wisdom wise wish wished
        wishes wishing wit witch witches with withdraw withdrawn withdraws withdrew wither withered withering
        withers within without withstand withstood witness witnessed witnesses witnessing witty wives wizard
        wizards wobble wobbled wobbles wobbling woke woken wolf wolves woman women won wonder wondered
        wonderful wondering wonders wood wooden woodland woodlands woodpecker woodpeckers woods wool woolly
        word words wordy wore work workbench workbenches worked working works workshop workshops world worldly
        worlds worm worms worn worried worries worry worrying worse worst worth worthless worthy wound wounds
        wove woven wrap wrapped wrapper wrappers wrapping wraps wreath wreaths wreck wrecks wrench wrenches
        wrestle wrestled wrestler wrestlers wrestles wrestling wriggle wriggled wriggles wriggling wrinkle
        wrinkled wrinkles wrinkling wrist wrists write writer writers writes writing written wrong wrote
        xylophone xylophones yacht yachts yard yards yardstick yardsticks yarn yarns yawn yawned yawning yawns
        year yearly yearn yearned yearning yearns years yell yelled yelling yellow yells yes yesterday yet
        yield yielded yielding yields yodel yodels yogurt yolk yolks you young your yours yourself youth
        youthful zany zealous zebra zebras zeppelin zeppelins zero zinnia zinnias zipper zippers zone zones
        zoo zoom zoomed zooming zooms zoos zucchini zucchinis
        """
}
