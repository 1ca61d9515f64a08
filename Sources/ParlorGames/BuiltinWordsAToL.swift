extension BuiltinWords {
    /// The words from A to L, in order, with spaces and line feeds between them.
    static let aToL = """
        abacus abacuses abandon abandoned abandoning abandons abilities ability able about above abroad
        absence absences absent absolute absorb absorbed absorbing absorbs absurd abundant accent accents
        accept accepted accepting accepts access accesses accident accidental accidents accompanied
        accompanies accompany accompanying accordion accordions account accounts accurate accuse accused
        accuses accusing ache ached aches achieve achieved achieves achieving aching acorn acorns acre acres
        acrobat acrobats act acted acting action actions active activities activity actor actors actress
        actresses acts actual adapt adapted adapting adapts add added adding additional address addresses adds
        adjust adjusted adjusting adjusts admire admired admires admiring admit admits admitted admitting
        adopt adopted adopting adopts adorable adult advance advanced advances advancing advantage advantages
        adventure advice advise advised advises advising affair affairs afford afforded affording affords
        afternoon afternoons afterthought aged agent agents agree agreeable agreed agreeing agreement
        agreements agrees aim aimed aiming aims airline airlines airplane airplanes airport airports airy
        alarm alarms album albums alert alike alive all alley alleys alligator alligators allow allowed
        allowing allows almanac almanacs almond almonds almost alone along aloud alphabet alphabets already
        also alter altered altering alters although always amaze amazed amazes amazing amber ambitious amend
        amended amending amends amethyst amethysts amount amounts amuse amused amuses amusing ancestor
        ancestors anchor anchored anchoring anchors ancient and angel angels anger angle angles angry animal
        animals ankle ankles anniversary announce announced announcement announces announcing annoy annoyed
        annoying annoys annual another answer answered answering answers ant anthem anthems anthill anthills
        antique antiques antler antlers ants anvil anvils anxious any anybody anyone anything apart apartment
        apartments apologize apologized apologizes apologizing apparent appealing appear appeared appearing
        appears appetite appetites applaud applauded applauding applauds apple apples appliance appliances
        appoint appointed appointing appointment appointments appoints appreciate appreciated appreciates
        appreciating apprentice apprentices approach approaches approve approved approves approving apricot
        apricots apron aprons aquarium aquariums arch archer archers arches architect architects are area
        areas arena arenas argue argued argues arguing argument arguments arm armchair armchairs armies armor
        armors arms army around arrange arranged arrangement arrangements arranges arranging arrest arrested
        arresting arrests arrival arrivals arrive arrived arrives arriving arrow arrows article articles
        artificial artist artists ash ashamed ashtray ashtrays ask asked asking asks asleep aspect aspects
        assemble assembled assembles assemblies assembling assembly assist assistant assistants assisted
        assisting assists assume assumed assumes assuming assure assured assures assuring asteroid asteroids
        astonished astronaut astronauts ate athlete athletes athletic atlas atlases atmosphere atmospheres
        attach attached attaching attack attacked attacking attacks attempt attempted attempting attempts
        attend attendant attendants attended attending attends attention attic attics attitude attitudes
        attract attracted attracting attractive attracts auction auctions audience audiences aunt aunts author
        authors automatic autumn available avalanche avalanches avenue avenues average averages avocado
        avocados avoid avoided avoiding avoids await awaited awaiting awaits award awarded awarding awards
        aware away awful awkward axis axle axles babies baby back backgammon background backgrounds backpack
        backpacks backs backward backyard backyards bacon bad badge badger badgers badges badly badminton bag
        bagel bagels bagpipe bagpipes bags bake baked baker bakeries bakers bakery bakes baking balance
        balanced balances balancing balconies balcony bald ball ballad ballads ballet ballets balloon balloons
        ballot ballots ballroom ballrooms balls bamboo bamboos banana bananas bandage bandages bandit bandits
        bang banged banging bangs banister banisters banjo banjos bank banker bankers banks banner banners
        barber barbers bare barely bargain bargained bargaining bargains bark barked barking barks barley barn
        barns barnyard barnyards barometer barometers barrel barrels barrier barriers base baseball baseballs
        bases bashful basic basil basin basins basket basketball basketballs baskets bassoon bassoons bat
        bathe bathed bathes bathing bathroom bathrooms bathtub bathtubs bats batteries battery battle battles
        bay bays beach beaches beacon beacons bead beads beak beaks beam beams bean beans bear beard beards
        bears beast beasts beautiful beauty beaver beavers became because become becomes becoming bed bedroom
        bedrooms beds bedtime bee beehive beehives been bees beeswax beet beetle beetles beets before beg
        began beggar beggars begged begging begin beginning beginnings begins begs begun behave behaved
        behaves behaving behavior behind being belief beliefs bell bells belong belonged belonging belongs
        below belt belts bench benches bend bending bends beneath benefit benefits bent beret berets berries
        berry beside besides best better between beyond bicycle bicycles bid bids big bill bills bin bind
        binding binds bins biology birch birches birdcage birdcages birdhouse birdhouses birth birthday
        birthdays births biscuit biscuits bit bite bites biting bits bitten bitter black blackberries
        blackberry blackbird blackbirds blackboard blackboards blacksmith blacksmiths blade blades blame
        blamed blames blaming blank blanket blankets bleed blend blended blending blends bless blessed blesses
        blessing blew blind blink blinked blinking blinks blister blisters blizzard blizzards block blocks
        blond blood bloom bloomed blooming blooms blossom blossoms blouse blouses blow blowing blown blows
        blue bluebell bluebells blueberries blueberry blueprint blueprints blunt blush blushed blushes
        blushing board boarder boarders boarding boards boast boasted boasting boasts boat boats bobbin
        bobbins boil boiled boiling boils bold bolt bolted bolting bolts bond bonds bone bones bonfire
        bonfires bonnet bonnets bony book bookcase bookcases bookmark bookmarks books bookshop bookshops
        bookworm bookworms boomerang boomerangs boost boosted boosting boosts boot boots border borders boring
        borrow borrowed borrowing borrows boss bosses both bother bothered bothering bothers bottle bottles
        bottom bottoms bought boulder boulders bounce bounced bounces bouncing boundaries boundary bouquet
        bouquets bow bowed bowing bowl bowls bows box boxer boxers boxes boy boys bracelet bracelets bracket
        brackets brag bragged bragging brags brain brains brake brakes branch branches brand brands brave
        bravery bread break breakfast breakfasts breaking breaks breath breathe breathed breathes breathing
        breaths breeding breeze breezes bribe bribed bribes bribing brick bricks bride brides bridge bridges
        bridle bridles brief briefcase briefcases bright brilliant bring bringing brings brisk broad broccoli
        broke broken bronze brooch brooches brook brooks broom brooms broth brother brothers broths brought
        brown browser browsers bruise bruises brush brushed brushes brushing bubble bubbled bubbles bubbling
        bucket buckets buckle buckled buckles buckling bud budge budged budges budget budgets budging buds
        buffalo buffaloes bugle bugles build building builds built bulb bulbs bulky bull bulldog bulldogs
        bulletin bulletins bulls bump bumped bumping bumps bumpy bun bundle bundled bundles bundling buns buoy
        buoys burden burdens burger burgers buried buries burn burned burning burns burrow burrows burst
        bursts bury burying bus buses bush bushes busy but butcher butchers butter buttercup buttercups
        butterflies butterfly buttermilk butterscotch button buttons buy buying buys buzz buzzed buzzes
        buzzing cabbage cabbages cabin cabinet cabinets cabins cable cables cactus cactuses cadet cadets cage
        cages cake cakes calculate calculated calculates calculating calculator calculators calendar calendars
        calf call called calling calls calm calves came camel camels camera cameras camp campaign campaigns
        camped campfire campfires camping camps campsite campsites canal canals canaries canary cancel
        canceled canceling cancels candidate candidates candies candle candlelight candles candlestick
        candlesticks candy cannon cannons canoe canoes canvas canvases canyon canyons cap capable capital
        capitals caps captain captains capture captured captures capturing car caramel caramels caravan
        caravans card cardboard cardigan cardigans cards care cared career careers careful careless cares
        caress caressed caresses caressing cargo cargos caring carnival carnivals carpenter carpenters carpet
        carpets carriage carriages carried carries carrot carrots carry carrying cars cart cartoon cartoons
        carts cartwheel cartwheels carve carved carves carving case cases cashew cashews casserole casseroles
        castle castles casual cat catalog catalogs catch catches catching caterpillar caterpillars cathedral
        cathedrals cats caught cauliflower cauliflowers cause caused causes causing cautious cave caves cease
        ceased ceases ceasing cedar cedars ceiling ceilings celebrate celebrated celebrates celebrating celery
        cellar cellars cello cellos centipede centipedes central centuries century cereal ceremonies ceremony
        certain chain chains chair chairs chalk chalks challenge challenged challenges challenging chamber
        chambers chameleon chameleons champion champions chance chances chandelier chandeliers change changed
        changes changing chaos chapel chapels chapter chapters charge charged charges charging chariot
        chariots charm charmed charming charms chart charts chase chased chases chasing chat chats chatted
        chatter chattered chattering chatters chatting cheap cheat cheated cheating cheats check checked
        checkerboard checkers checking checks cheek cheeks cheer cheered cheerful cheering cheers cheese
        cheesecake cheesecakes cheeses cheetah cheetahs chemical chemistry cherish cherished cherishes
        cherishing cherries cherry chess chest chestnut chestnuts chests chew chewed chewing chews chick
        chicks chief child children chill chilled chilling chills chilly chimney chimneys chimpanzee
        chimpanzees chin chip chipmunk chipmunks chips chisel chisels chocolate chocolates choice choices
        choir choirs choose chooses choosing chop chopped chopping chops chopstick chopsticks chord chords
        chore chores chorus choruses chose chosen chuckle chuckled chuckles chuckling church churches cider
        cinema cinemas cinnamon circle circled circles circling circular circus circuses cities citizen
        citizens city civil claim claimed claiming claims clan clans clap clapped clapping claps clarinet
        clarinets clash clashed clashes clashing clasp clasped clasping clasps class classes classic classroom
        classrooms clatter clattered clattering clatters claw claws clay clean cleaned cleaning cleans clear
        cleared clearing clears clerk clerks clever click clicked clicking clicks cliff cliffs climb climbed
        climbing climbs cling clinging clings clip clipped clipping clips cloak cloaks clock clocks clockwise
        clockwork close closed closes closet closets closing cloth cloud clouds cloudy clover clovers clown
        clowns club clubs clue clues clumsy clutch clutched clutches clutching coach coaches coal coalition
        coalitions coarse coast coasts coat coats coax coaxed coaxes coaxing cobbler cobblers cobra cobras
        cobweb cobwebs cockpit cockpits cocoa coconut coconuts code codes coffee coffees coin coins cold
        collapse collapsed collapses collapsing collar collars collect collected collecting collection
        collections collector collectors collects college colleges collie collies color colored colorful
        coloring colors colossal column columns comb combine combined combines combining combs come comedies
        comedy comes comet comets comfort comfortable comforted comforting comforts comic coming command
        commanded commanding commands comment comments committee committees common companies companion
        companions company compare compared compares comparing comparison comparisons compass compasses
        compete competed competes competing complain complained complaining complains complaint complaints
        complete completed completes completing complex compose composed composes composing computer computers
        conceal concealed concealing conceals concentrate concentrated concentrates concept concepts concern
        concerned concerns concert concerts conch conches conclude concluded concludes concluding conclusion
        conclusions condition conditions conduct conducted conducting conductor conductors conducts cone cones
        confess confessed confesses confessing confidence confident confirm confirmed confirming confirms
        conflict conflicts confuse confused confuses confusing connect connected connecting connects conquer
        conquered conquering conquers conscious consider considered considering considers consist consisted
        consisting consists constant construct constructed constructing constructs consult consulted
        consulting consults contact contacts contain contained containing contains content contents contest
        contests continent continents continue continued continues continuing contract contracts contrast
        contrasts contribute contributed contributes contributing control controls convenient conversation
        convince convinced convinces convincing cook cookie cookies cooks cool cooperate cooperated cooperates
        cooperating copied copies copper copy copying cord cords cork corks corner corners cornflower
        cornflowers correct corrected correcting corrects cosmic cosmos cost costing costly costs costume
        costumes cottage cottages cotton couch couches cough coughed coughing coughs council councils count
        counted counter counters counties counting countries country countryside counts county couple couples
        courage courageous course courses court courts courtyard courtyards cousin cousins cover covered
        covering covers cow cowardly cowboy cowboys cows coyote coyotes cozy crab crabs crack cracked cracker
        crackers cracking crackle crackled crackles crackling cracks cradle cradled cradles cradling craft
        crafts crafty cram crammed cramming crams cranberries cranberry crane cranes crash crashed crashes
        crashing crate crater craters crates crawl crawled crawling crawls crayon crayons crazy creak creaked
        creaking creaks cream creams creamy create created creates creating creation creations creative
        creator creators creature creatures credit credits creek creeks creep creeping creeps creepy crept
        crescent crescents crew crews cricket crickets cries crime crimes crises crisis crisp crispy critic
        critical critics crocodile crocodiles crooked crop crops cross crossed crosses crossing crossroad
        crossroads crosswalk crosswalks crouch crouched crouches crouching crow crowd crowded crowds crown
        crowns crows crude cruel cruise cruises crumb crumble crumbled crumbles crumbling crumbs crumpet
        crumpets crunch crunched crunches crunching crunchy crush crushed crushes crushing crust crusts cry
        crystal crystals cube cubes cuckoo cuckoos cucumber cucumbers cuddle cuddled cuddles cuddling cuff
        cuffs culture cultures cup cupboard cupboards cupcake cupcakes cups cure cured cures curing
        curiosities curiosity curious curl curled curling curls curly current currents curtain curtains curve
        curves cushion cushions custard custards custom customer customers customs cut cute cuts cutting cycle
        cycled cycles cycling cylinder cylinders cypress cypresses daffodil daffodils daily dainty daisies
        daisy damage damages damp dance danced dancer dancers dances dancing dandelion dandelions danger
        dangerous dangers dangle dangled dangles dangling dare dared dares daring dark dash dashed dashes
        dashing date dates daughter daughters dawn day daydream daydreams days dazzle dazzled dazzles dazzling
        dead deaf deal deals dear debate debates debt debts decade decades decay decayed decaying decays
        deceive deceived deceives deceiving decent decide decided decides deciding decimal decimals decision
        decisions deck decks declare declared declares declaring decline declined declines declining decorate
        decorated decorates decorating decoration decorations deed deeds deep deeply deer defeat defeated
        defeating defeats defend defended defending defends defense defenses defiant define defined defines
        defining definite degree degrees delay delayed delaying delays delicate delicious delight delightful
        delights deliver delivered deliveries delivering delivers delivery delta deltas demand demanded
        demanding demands den denim dens dense densities density dental dentist dentists depart departed
        departing department departments departs depend depended dependent depending depends deposit deposited
        depositing deposits depth depths derive derived derives deriving describe described describes
        describing description descriptions desert deserted deserts deserve deserved deserves deserving design
        designed designing designs desire desired desires desiring desk desks dessert desserts destination
        destinations destroy destroyed destroying destroys detach detached detaches detaching detail details
        detect detected detecting detective detectives detects determine determined determines determining
        detour detours develop developed developing development developments develops device devices devote
        devoted devotes devoting devour devoured devouring devours dew diagram diagrams diamond diamonds
        diaries diary dice dictation dictionaries dictionary did differ differed difference differences
        different differing differs difficult difficulties difficulty dig digging digital digs dim dimple
        dimples dinner dinners dinosaur dinosaurs diploma diplomas direct directed directing direction
        directions director directors directs dirt dirty disagree disagreed disagreeing disagreement disagrees
        disappear disappeared disappearing disappears disappoint disappointed disappoints disaster disasters
        discover discovered discoveries discovering discovers discovery discuss discussed discusses discussing
        discussion discussions disguise disguised disguises disguising dish dishes dislike disliked dislikes
        disliking dismiss dismissed dismisses dismissing display displayed displaying displays dissolve
        dissolved dissolves dissolving distance distances distant distinct distribute distributed distributes
        distributing district districts disturb disturbed disturbing disturbs dive dives divide divided
        divides dividing diving dizzy doctor doctors document documents dodge dodged dodges dodging does dog
        dogs doing doll dollar dollars dolls dolphin dolphins domestic donate donated donates donating done
        donkey donkeys door doorbell doorbells doorknob doorknobs doormat doormats doors doorstep doorsteps
        doorway doorways dot dots double doubled doubles doubling doubt doubted doubting doubts dough dove
        doves down downstairs downtown dozen dozens drab draft drafts drag dragged dragging dragon dragonflies
        dragonfly dragons drags drain drained draining drains drama dramas dramatic drank drape draped drapes
        draping draw drawer drawers drawing drawings drawn draws dreadful dream dreaming dreams dreary dress
        dresses drew dribble dribbled dribbles dribbling dried dries drift drifted drifting drifts driftwood
        drill drills drink drinking drinks drip dripped dripping drips drive driven driver drivers drives
        driveway driveways driving drizzle drizzled drizzles drizzling drop droplet droplets dropped dropping
        drops drought droughts drove drown drowned drowning drowns drowsy drum drummed drumming drums
        drumstick drumsticks dry drying duck ducked ducking duckling ducklings ducks due dug duke dukes dull
        dumpling dumplings dune dunes dungeon dungeons during dusk dust dusted dusting dustpan dustpans dusts
        dusty duties dutiful duty dwarf dwindle dwindled dwindles dwindling dynamic each eager eagerness eagle
        eagles ear early earmuff earmuffs earn earned earnest earning earns earring earrings ears earthquake
        earthquakes earthworm earthworms earthy easel easels easily east eastern easy eat eaten eating eats
        echo echoed echoes echoing eclipse eclipses economies economy edge edges edible edit edited editing
        editor editors edits educate educated educates educating education educations eel eels effect effects
        efficient effort efforts egg eggplant eggplants eggs eggshell eggshells eight eighteen eighty either
        elaborate elastic elated elbow elbows elderly elect elected electing election elections electric
        electrical electronic elects elegant element elements elephant elephants eleven elf eliminate
        eliminated eliminates eliminating elm elms else elsewhere elves embarrass embarrassed embarrasses
        embarrassing ember embers embroidery emerald emeralds emerge emerged emergencies emergency emerges
        emerging eminent emotion emotions emperor emperors emphasize emphasized emphasizes emphasizing empire
        empires employ employed employing employs emptied empties empty emptying enable enabled enables
        enabling enchanted enclose enclosed encloses enclosing encourage encouraged encourages encouraging
        encyclopedia end ended ending endless ends endure endured endures enduring enemies enemy energetic
        energies energy engage engaged engages engaging engine engineer engineers engines enjoy enjoyed
        enjoying enjoys enlarge enlarged enlarges enlarging enormous enough ensure ensured ensures ensuring
        enter entered entering enters entertain entertained entertaining entertains entire entrance entrances
        entries entry envelope envelopes envious environment episode episodes equal equator equators equipment
        era eras erase erased eraser erasers erases erasing error errors erupt erupted erupting erupts escape
        escaped escapes escaping especially essay essays essential establish established establishes
        establishing estimate estimated estimates estimating eternal eucalyptus eucalyptuses evaluate
        evaluated evaluates evaluating evaporate evaporated evaporates evaporating even evening evenings event
        events eventual ever evergreen evergreens every everybody everyone everything everywhere evidence
        evident evil exact exactly exaggerate exaggerated exaggerates exaggerating exam examine examined
        examines examining example examples exams exceed exceeded exceeding exceeds excellent except exception
        exceptions exchange exchanged exchanges exchanging excite excited excites exciting exclaim exclaimed
        exclaiming exclaims excuse excused excuses excusing exercise exercised exercises exercising exhaust
        exhausted exhausting exhausts exhibition exhibitions exist existed existence existing exists exit
        exits exotic expand expanded expanding expands expect expected expecting expects expense expenses
        expensive experience experiences experiment experiments expert experts explain explained explaining
        explains explode exploded explodes exploding explore explored explorer explorers explores exploring
        explosion explosions expose exposed exposes exposing express expressed expresses expressing expression
        expressions extend extended extending extends extent extents external extra extreme eye eyebrow
        eyebrows eyelash eyelashes eyelid eyelids eyes fable fables fabulous face faces fact factor factories
        factors factory facts fade faded fades fading fail failed failing fails failure failures faint fainted
        fainting faints fair fairground fairgrounds fairies fairy faith faithful falcon falcons fall fallen
        falling falls false falter faltered faltering falters fame familiar families family famous fan fancy
        fans fantastic far farewell farewells farm farmer farmers farmhouse farmhouses farms farmyard
        farmyards fascinate fascinated fascinates fascinating fashion fashions fast fasten fastened fastening
        fastens fatal fate fates father fathers fault faults favor favorable favorite favors fear feared
        fearful fearing fearless fears feast feasts feather feathers feature features fed feeble feed feeding
        feeds feel feeling feelings feels feet fell fellow fellows felt female fence fences fern ferns ferries
        ferry fertile festival festivals festive fetch fetched fetches fetching fever fevers few fiber fibers
        fiction fictions fiddle fiddled fiddles fiddling field fields fierce fifteen fifth fifty fig fight
        fighting fights figs figure figures fill filled filling fills film filmed filming films final finally
        finance finch finches find finding finds fine finger fingernail fingernails fingerprint fingerprints
        fingers finish finished finishes finishing fire fireflies firefly fireman firemen fireplace fireplaces
        firewood firework fireworks firm first fiscal fish fishbowl fishbowls fisherman fist fists fit fits
        fitted fitting five fix fixed fixes fixing flag flagpole flagpoles flags flaky flame flames flamingo
        flamingos flap flapped flapping flaps flash flashed flashes flashing flashlight flashlights flat
        flatter flattered flattering flatters flavor flavors flax flee fleeing flees fleet fleets flew
        flexible flicker flickered flickering flickers flies flight flights flinch flinched flinches flinching
        flint flip flipped flipping flips float floated floating floats flock flocks flood flooded flooding
        floods floor floors flourish flourished flourishes flourishing flow flowed flower flowerpot flowerpots
        flowers flowing flown flows fluffy fluid fluids fluster flustered flustering flusters flute flutes
        flutter fluttered fluttering flutters fly flying foam foamed foaming foams focus focused focuses
        focusing fog foggy fold folded folder folders folding folds folk folklore folks follow followed
        following follows fond foolish foot football footballs foothill foothills footprint footprints
        footstep footsteps forage foraged forages foraging force forced forces forcing forecast forecasts
        forehand forehead foreheads foreign forest forests forgave forget forgets forgetting forgive forgiven
        forgives forgiving forgot forgotten fork forks form formal formed former forming forms formula
        formulas fort forts fortunate fortune fortunes forty forward fossil fossils fought found foundation
        foundations founded founding founds fountain fountains four fourteen fourth fox foxes foxglove
        foxgloves fraction fractions fragile fragrant frail frame framed frames framework frameworks framing
        frank freckle freckles free freedom freely freeze freezes freezing freight frequent fresh fried friend
        friendly friends friendship fries frighten frightened frightening frightens frightful frog frogs from
        frost frosty frown frowns froze frozen frugal fruit fruits fry frying fuel fuels fulfill fulfilled
        fulfilling fulfills full fumble fumbled fumbles fumbling fun function functions fundamental funnel
        funnels funny fur furious furnace furnaces furniture furry furs further future fuzzy gadget gadgets
        galaxies galaxy gale gales gallon gallons gallop galloped galloping gallops gamble gambled gambles
        gambling game games gap gaps garage garages garden gardener gardeners gardens gargle gargled gargles
        gargling gas gate gates gather gathered gathering gatherings gathers gave gaze gazed gazelle gazelles
        gazes gazing gear gears geese gemstone gemstones general generation generations generous gentle
        gentleman gently genuine geometry gesture gestures get gets getting geyser geysers ghost ghostly
        ghosts giant giants gift gifted gifts gigantic giggle giggled giggles giggling ginger gingerbread
        giraffe giraffes girl girls give given gives giving glacier glaciers glad glamorous glance glanced
        glances glancing glass glasses gleam gleamed gleaming gleams glide glided glides gliding glimmer
        glimmered glimmering glimmers glisten glistened glistening glistens glitter glittered glittering
        glitters global globe globes gloomy glorious glory glossaries glossary glossy glove gloves glow glowed
        glowing glows glue glued glues gluing gnaw gnawed gnawing gnaws goal goalkeeper goalkeepers goals goat
        goats gobble gobbled gobbles gobbling goes going golden goldfish golf gone good goodness goose
        gorgeous gorilla gorillas gossip gossiped gossiping gossips got govern governed governing government
        governments governor governors governs gown gowns grab grabbed grabbing grabs graceful gracious grade
        grades gradual grain grains gram grams grand grandchild grandfather grandfathers grandmother
        grandmothers grandparent grandparents grandson grandsons granite grape grapefruit grapefruits grapes
        grasp grasped grasping grasps grass grasshopper grasshoppers grateful gratitude grave gravel gravels
        gravies gravity gravy gray graze grazed grazes grazing great greedy green greenhouse greenhouses greet
        greeted greeting greets grew grim grin grind grinding grinds grinned grinning grins grip gripped
        gripping grips groan groaned groaning groans groceries grocery groom groomed grooming grooms grouchy
        ground grounds group groups grow growing growl growled growling growls grown grows growth grubby
        grumble grumbled grumbles grumbling grumpy guarantee guaranteed guaranteeing guarantees guard guarded
        guarding guards guess guessed guesses guessing guest guests guide guided guides guiding guilt guilty
        guitar guitars gull gullible gulls gulp gulped gulping gulps gumdrop gumdrops gust gusts gym gyms
        habit habitat habitats habits had hail hair hairbrush hairbrushes haircut haircuts hairs half halfway
        hall halls hallway hallways halves ham hammer hammered hammering hammers hammock hammocks hamster
        hamsters hand handbag handbags handful handfuls handkerchief handle handled handles handling hands
        handshake handshakes handsome handy hang hanger hangers hanging hangs happen happened happening
        happens happily happiness happy harbor harbors hard hardly hare hares harm harmed harmful harming
        harmless harmonica harmonicas harmonies harmony harms harness harnesses harp harpoon harpoons harps
        harsh harvest harvests has haste hasty hat hatch hatched hatches hatching hate hated hates hating hats
        haunt haunted haunting haunts have having hawk hawks haystack haystacks hazel hazelnut hazelnuts
        hazels hazy head headache headaches headline headlines heads heal healed healing heals health healthy
        heap heaped heaping heaps hear heard hearing hears heart hearth hearths hearts hearty heat heather
        heaven heavenly heavily heavy hedge hedgehog hedgehogs hedges heel heels height heights heir heirs
        held helicopter helicopters helmet helmets help helped helpful helping helpless helps hemisphere
        hemispheres hemlock hemlocks hen hens her herb herbs herd herds here hero heroes heron herons herring
        herrings hers herself hesitate hesitated hesitates hesitating hexagon hexagons hibiscus hibiscuses hid
        hidden hide hides hiding high highland highlands highly highway highways hilarious hill hills hilltop
        hilltops him himself hinge hinges hint hints hip hippopotamus hips hire hired hires hiring his history
        hit hits hitting hive hives hoarse hobbies hobby hockey hoist hoisted hoisting hoists hold holding
        holds hole holes holiday holidays hollies hollow holly home homeless homely homes hometown hometowns
        homework honest honesty honey honeycomb honeycombs honeysuckle honeysuckles honor honored honoring
        honors hood hoods hoof hook hooks hop hope hoped hopeful hopeless hopes hoping hopped hopping hops
        horizon horizons horn horns horrible horse horses hose hoses hospital hospitals host hosts hot hotel
        hotels hour hourglass hourglasses hourly hours house houseboat houseboats household households houses
        hover hovered hovering hovers how however howl howled howling howls huddle huddled huddles huddling
        hug huge hugged hugging hugs hum human humble humid hummed humming hummingbird hummingbirds humor hums
        hundred hunger hungry hunt hunted hunter hunters hunting hunts hurl hurled hurling hurls hurricane
        hurricanes hurried hurries hurry hurrying hurt hurting hurts husband husbands hush hushed hushes
        hushing hut huts hyena hyenas ibis ibises iceberg icebergs icebox iceboxes icecap icecaps icicle
        icicles icy idea ideal ideas identical identified identifies identify identifying idle ignite ignited
        ignites igniting ignorant ignore ignored ignores ignoring iguana iguanas ill illegal illustrate
        illustrated illustrates illustrating image images imaginary imagine imagined imagines imagining
        imitate imitated imitates imitating immediate immense impact impacts impatient imperfect implied
        implies imply implying impolite important impossible impress impressed impresses impressing impression
        impressions impressive improve improved improvement improvements improves improving impure inch inches
        incident incidents include included includes including income incomes increase increased increases
        increasing incredible indeed independence indicate indicated indicates indicating indoor indoors
        industry inexpensive infant infants inferior infinite inflate inflated inflates inflating influence
        influences inform informal information informed informing informs ingredient ingredients inhabit
        inhabitant inhabitants inhabited inhabiting inhabits inherit inherited inheriting inherits ink inks
        inkwell inkwells inland inn inner innocent inns insect insects insert inserted inserting inserts
        inside insist insisted insisting insists inspect inspected inspecting inspects inspire inspired
        inspires inspiring install installed installing installs instance instances instead instinct instincts
        instruct instructed instructing instruction instructions instructs instrument instruments insult
        insulted insulting insults insurance intelligent intend intended intending intends intense interest
        interesting interests internal interrupt interrupted interrupting interrupts interval intervals
        interview interviews into introduce introduced introduces introducing introduction invade invaded
        invades invading invent invented inventing invention inventions inventor inventors invents invest
        invested investigate investigated investigates investing investment investments invests invisible
        invitation invitations invite invited invites inviting involve involved involves involving inward iris
        irises iron irons irregular island islands itch itched itches itching itchy item items its itself ivy
        jackal jackals jacket jackets jagged jam jams jar jars jasmine jasmines javelin javelins jaw jaws jazz
        jealous jelly jellyfish jewel jeweler jewelers jewels jigsaw jigsaws jingle jingled jingles jingling
        jog jogged jogging jogs join joined joining joins joint joints joke joked jokes joking jolly jolt
        jolted jolting jolts journal journals journey journeys joy joyful joyous judge judged judges judging
        judgment judgments juggle juggled juggler jugglers juggles juggling juice juicy jump jumped jumping
        jumps junction junctions jungle jungles junior juniper junipers just justice kaleidoscope kangaroo
        kangaroos keen keep keeping keeps keepsake keepsakes kennel kennels kept kerosene kettle kettledrum
        kettledrums kettles key keyboard keyboards keyhole keyholes keys kick kicked kicking kicks kid kids
        kind kindly kindness king kingdom kingdoms kings kiss kisses kit kitchen kitchens kite kites kits
        kitten kittens kiwi kiwis knee kneecap kneecaps kneel kneeling kneels knees knew knife knight knights
        knit knits knitted knitting knives knob knobs knock knocked knocking knocks knot knots knotted
        knotting knotty know knowing knowledge known knows knuckle knuckles koala koalas label labeled
        labeling labels labor laboratories laboratory labors lace laced laces lacing lack lacks ladder ladders
        ladies ladle ladles lady ladybird ladybirds ladybug ladybugs laid lake lakes lamb lambs lamp lamps
        lampshade lampshades land landed landing landlord landlords landmark landmarks lands landscape
        landscapes lane lanes language languages lantern lanterns lap laps larch large lasagna last lasted
        lasting lasts latch latches late lately later laugh laughed laughing laughs launch launched launches
        launching laundry lavender lavish law lawful lawn lawns laws lawyer lawyers lay layer layers laying
        lays lazy lead leader leaders leading leads leaf leaflet leaflets league leagues lean leaned leaning
        leans leap leaped leaping leaps learn learned learning learns least leather leave leaves leaving
        lecture lectured lectures lecturing led leek leeks left leg legal legend legends legs lemon lemonade
        lemons lend lending lends length lengths lens lenses lent lentil lentils leopard leopards less lesson
        lessons let lets letter letters letting lettuce lettuces level leveled leveling levels lever levers
        liberty libraries library lick licked licking licks licorice lid lids lie lies life lifeboat lifeboats
        lifeguard lifeguards lifetime lifetimes lift lifted lifting lifts light lighthouse lighthouses
        lighting lightning lights like liked likely likes liking lilac lilacs lilies lily limb limbs limit
        limits limp line linear linen lines linger lingered lingering lingers lion lions lip lips lipstick
        lipsticks liquid liquids list listed listen listened listening listens listing lists lit liter liters
        little lively lives lizard lizards load loaded loading loads loaf loan loaned loaning loans loaves
        lobster lobsters local locate located locates locating location locations lock locket lockets locks
        lodge lodges lofty log logical logs lollipop lollipops lonely long longed longing longs look looked
        looking looks loom looms loop loops loose lose loses losing loss losses lost lot lots loud loudly
        lovable love loved lovely loves loving low lower lowered lowering lowers loyal loyalty luck lucky
        luggage lullabies lullaby luminous lump lumps lumpy lunch lunches lunchtime lung lungs lurk lurked
        lurking lurks luxurious luxury
        """
}
