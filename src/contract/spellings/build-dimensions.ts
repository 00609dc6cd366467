/** One spelling for platforms and configurations. Unknown values stay as reported. */

const PLATFORMS: Record<string, readonly string[]> = {
  Win64: [
    'windows',
    'win',
    'windows64',
    'win_64',
    'win-x64',
    'windows-x64',
    'standalonewindows64',
    'standalonewindows',
    'pc',
    'windowsnoeditor',
    'windows (64-bit)',
  ],
  Linux: ['linux64', 'linux-x64', 'standalonelinux64', 'standalonelinux', 'linuxnoeditor'],
  LinuxArm64: ['linux-arm64', 'linuxaarch64'],
  Mac: [
    'macos',
    'osx',
    'mac os',
    'mac os x',
    'darwin',
    'standaloneosx',
    'standaloneosxintel',
    'standaloneosxuniversal',
    'macnoeditor',
  ],
  PS5: ['playstation5', 'playstation 5', 'playstation_5', 'prospero'],
  PS4: ['playstation4', 'playstation 4', 'playstation_4', 'orbis'],
  XSX: [
    'xboxseriesx',
    'xbox series x',
    'xbox series x|s',
    'xbox_series_x',
    'xbox series',
    'xboxseries',
    'scarlett',
    'gamecorexboxseries',
  ],
  XB1: ['xboxone', 'xbox one', 'xbox_one', 'gamecorexboxone'],
  Switch: ['nintendo switch', 'nintendo_switch', 'nx'],
  Switch2: ['switch 2', 'nintendo switch 2'],
  Android: [],
  iOS: ['iphone', 'iphoneos', 'ipad'],
  TVOS: ['appletv', 'tvos'],
  VisionOS: ['visionos'],
  WebGL: ['web', 'html5', 'wasm'],
}

const CONFIGURATIONS: Record<string, readonly string[]> = {
  Debug: [],
  DebugGame: ['debug game', 'debug_game'],
  Development: ['dev'],
  Test: [],
  Shipping: ['ship'],
}

const byAlias = (names: Record<string, readonly string[]>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(names).flatMap(([name, aliases]) =>
      [name.toLowerCase(), ...aliases].map((alias): [string, string] => [alias, name]),
    ),
  )

/** Names by their aliases in lower case. */
export const PLATFORM_NAMES = byAlias(PLATFORMS)
export const CONFIGURATION_NAMES = byAlias(CONFIGURATIONS)

/** `Windows` and `StandaloneWindows64` are `Win64`. */
export const buildPlatformOf = (told: string) => PLATFORM_NAMES.get(told.trim().toLowerCase()) ?? told.trim()

/** `shipping` is `Shipping`. */
export const configurationOf = (told: string) => CONFIGURATION_NAMES.get(told.trim().toLowerCase()) ?? told.trim()

/** Characters of a platform, configuration or agent. */
export const DIMENSION_MAX = 100
/** Measures of one build. */
export const MEASURES_MAX = 50
export const MEASURE_NAME_MAX = 100
export const MEASURE_UNIT_MAX = 20
