//! Words of codes: plain, short, told apart by ear. Two of 256 words and one of 90 numbers are 22.5
//! bits, with three tries.

/// The words, in alphabetical order.
pub const WORDS: &[&str; 256] = &[
    "acorn", "alder", "almond", "amber", "anchor", "anvil", "apple", "apron", "arbor", "arrow",
    "aspen", "aster", "atlas", "autumn", "badge", "badger", "bamboo", "banjo", "barley", "barn",
    "basil", "basin", "basket", "beacon", "beaver", "beetle", "bell", "birch", "bishop", "bison",
    "blossom", "boat", "bonnet", "bottle", "bramble", "brass", "bread", "breeze", "brick",
    "bridge", "bronze", "brook", "bucket", "button", "cabin", "cactus", "camel", "candle", "canoe",
    "canyon", "carbon", "castle", "cedar", "cello", "chalk", "cherry", "chess", "chestnut",
    "cider", "cinder", "citrus", "clam", "clay", "cliff", "clock", "clover", "cobalt", "cocoa",
    "comet", "compass", "copper", "coral", "cotton", "cradle", "crane", "crater", "cricket",
    "crown", "crystal", "cupola", "daisy", "dawn", "denim", "desert", "dolphin", "donkey",
    "dragon", "drum", "dune", "eagle", "easel", "ebony", "echo", "elbow", "elder", "elm", "ember",
    "emerald", "engine", "falcon", "feather", "fennel", "fern", "ferry", "fiddle", "fig", "finch",
    "fjord", "flame", "flint", "flute", "forest", "fossil", "fountain", "fox", "garnet", "ginger",
    "glacier", "glove", "goat", "granite", "grape", "gravel", "guitar", "hammer", "harbor", "harp",
    "hazel", "heron", "hickory", "hill", "honey", "hornet", "hotel", "igloo", "indigo", "iris",
    "iron", "island", "ivory", "ivy", "jacket", "jade", "jaguar", "jasmine", "jasper", "jungle",
    "juniper", "kayak", "kernel", "kestrel", "kettle", "kiwi", "koala", "ladder", "lagoon",
    "lantern", "larch", "lark", "laurel", "lava", "lemon", "lentil", "lilac", "lily", "linen",
    "lion", "lizard", "llama", "lobster", "lotus", "lunar", "lynx", "magnet", "mango", "maple",
    "marble", "marsh", "meadow", "melon", "meteor", "mint", "mirror", "moose", "moss", "mountain",
    "mulberry", "mustard", "nectar", "nettle", "nickel", "nutmeg", "oak", "oasis", "oboe", "ocean",
    "olive", "onion", "opal", "orbit", "orchid", "otter", "oyster", "paddle", "panda", "panther",
    "paper", "parrot", "peach", "peanut", "pebble", "pelican", "pepper", "piano", "pigeon",
    "pillow", "pine", "planet", "plum", "pocket", "poplar", "poppy", "prairie", "prism", "pumpkin",
    "quail", "quartz", "quill", "quince", "rabbit", "raccoon", "radish", "rain", "raven", "reef",
    "ribbon", "river", "robin", "rocket", "rose", "ruby", "saddle", "saffron", "sage", "salmon",
    "sandal", "sapphire", "satin", "saturn", "shamrock", "spruce", "thistle", "tulip", "walnut",
    "willow", "zebra",
];
