import type { Rule } from '../../rule.ts'

/** Delivering a finished build: Steam, the stores of Apple and Google, notarization, itch. */
export const delivery: readonly Rule[] = [
  {
    id: 'steam.upload',
    tool: 'Steam ContentBuilder',
    category: 'delivery',
    role: 'root',
    need: ['ERROR! ', 'FAILED (', 'FAILED login', 'Steam Guard', 'AppID '],
    match:
      /^(?:\[[^\]]{1,40}\]: ?)?(?:ERROR! (?<msg>(?:Failed to (?:commit build|get application info|initialize depot|upload)|Depot|App|Timed out|Login).*)|.{0,120}FAILED \((?<code>[A-Z][\w ]{2,40})\)|.{0,60}Steam Guard.{0,80}(?:code|mismatch|expired).*)/,
    score: 86,
    near: 1,
    fix: 'Check the login of the build account, its Steam Guard and its right to publish this application and branch.',
    examples: [
      { log: "ERROR! Failed to commit build for AppID 480 : 'Failure'", line: 1 },
      { log: "Logging in user 'builder' to Steam Public ...FAILED (Invalid Password)", line: 1 },
    ],
  },
  {
    id: 'apple.upload',
    tool: 'App Store Connect',
    category: 'delivery',
    role: 'root',
    need: ['ITMS-', 'altool', 'App Store Connect', 'Unable to upload', 'Asset validation failed', 'notarytool'],
    match:
      /(?:ERROR ITMS-(?<code>\d{4,5})|\*\*\* Error: (?:Error uploading|Unable to upload|Unable to validate)|Asset validation failed|App Store Connect (?:Operation Error|access)|notarytool.{0,80}(?:timed out|timeout)|Processing .{0,40}notarization.{0,40}timed out)(?<msg>.*)/,
    score: 84,
    block: { more: /^\s+\S|^\*\*\* Error/, max: 8 },
    near: 1,
    examples: [
      { log: 'ERROR ITMS-90189: "Redundant Binary Upload. There already exists a binary upload with build 12"', line: 1 },
    ],
  },
  {
    id: 'play.upload',
    tool: 'Google Play',
    category: 'delivery',
    role: 'root',
    need: [
      'Google Api Error',
      'androidpublisher',
      'APK specifies a version code',
      'has already been used',
      'Only releases with status',
    ],
    match:
      /(?:Google Api Error: |googleapis\.com\/androidpublisher.{0,120}(?:4\d\d|5\d\d)|APK specifies a version code that has already been used|Version code \d+ has already been used|Only releases with status draft)(?<msg>.*)/,
    score: 84,
    fix: 'Raise the version code, and check the service account and track that the upload goes to.',
    examples: [{ log: 'Google Api Error: forbidden: The caller does not have permission', line: 1 }],
  },
  {
    id: 'itch.upload',
    tool: 'butler',
    category: 'delivery',
    role: 'root',
    need: ['itch.io API error', 'butler'],
    match: /itch\.io API error(?<msg>.*)|^butler: (?<plain>.*(?:error|fail).*)/,
    score: 82,
    examples: [{ log: 'itch.io API error (400): /wharf/builds: invalid target', line: 1 }],
  },
]
