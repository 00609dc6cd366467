import { rewriteNear } from './near-lines.ts'
import { redactOwnTokens } from './scannable-tokens.ts'

type Table = Readonly<Record<string, readonly [near: readonly string[], pattern: string]>>

/** Credentials with a recognizable shape: a substring that each contains, in lower case, and its pattern. */
const SHAPES: Table = {
  github: [['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'], 'gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\\w{16,}'],
  gitlab: [
    ['glpat-', 'gldt-', 'glrt-', 'glft-', 'glsoat-', 'glcbt-', 'glptt-', 'glagent-', 'gr1348941'],
    'gl(?:pat|dt|rt|ft|soat|cbt|ptt|agent)-[\\w.-]{16,}|GR1348941[\\w-]{16,}',
  ],
  slack: [['xox', 'xapp-'], 'xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\\d-[A-Za-z0-9-]{10,}'],
  telegram: [[':aa'], '(?:bot)?\\d{8,10}:AA[\\w-]{32,34}(?![\\w-])'],
  twitch: [['oauth:'], 'oauth:[a-z0-9]{30}(?![A-Za-z0-9])'],
  aws: [['akia', 'asia', 'abia', 'acca'], '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}'],
  google: [['aiza', 'gocspx-', 'ya29.', '1//0'], 'AIza[\\w-]{30,}|GOCSPX-[\\w-]{20,}|ya29\\.[\\w-]{20,}|1//0[\\w-]{30,}'],
  azure: [['7q~', '8q~'], '[\\w~.-]{3}[78]Q~[\\w~.-]{31,}'],
  azureDevOps: [['azdo'], '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])'],
  stripe: [['k_live_', 'k_test_', 'k_prod_'], '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}'],
  openai: [['sk-'], 'sk-(?:proj|ant|svcacct|admin|or)-[\\w-]{16,}|sk-[A-Za-z0-9]{20,}'],
  huggingFace: [['hf_'], 'hf_[A-Za-z0-9]{30,}'],
  npm: [['npm_'], 'npm_[A-Za-z0-9]{20,}'],
  pypi: [['pypi-a'], 'pypi-A[\\w-]{16,}'],
  rubyGems: [['rubygems_'], 'rubygems_[0-9a-f]{40,}'],
  artifactory: [['akcp', 'cmvmdgtu'], 'AKCp[A-Za-z0-9]{50,}|cmVmdGtu[A-Za-z0-9]{40,}'],
  webhook: [['whsec_'], 'whsec_[A-Za-z0-9+/=_-]{12,}'],
  jwt: [['eyj', 'eyai'], 'ey(?:J|Ai)[\\w-]{10,}(?:\\.[\\w-]+){0,4}'],
  age: [['age-secret-key-1'], 'AGE-SECRET-KEY-1[A-Z0-9]{20,}'],
  sendgrid: [['sg.'], 'SG\\.[\\w-]{16,}\\.[\\w-]{16,}'],
  digitalocean: [['_v1_'], 'do[opr]_v1_[0-9a-f]{32,}'],
  docker: [['dckr_'], 'dckr_(?:pat|oat)_[\\w-]{16,}'],
  hashicorp: [['hvs.', 'hvb.', 'hvr.', '.atlasv1.'], 'hv[sbr]\\.[\\w-]{20,}|\\w{14}\\.atlasv1\\.[\\w-]{40,}'],
  linear: [['lin_api_', 'lin_oauth_'], 'lin_(?:api|oauth)_[A-Za-z0-9]{16,}'],
  atlassian: [['atatt3', 'atctt3', 'atbb'], 'AT[AC]TT3[\\w=-]{16,}|ATBB[A-Za-z0-9]{24,}'],
  youTrack: [['perm:', 'perm-'], 'perm[:-][A-Za-z0-9+/]{2,}={0,2}\\.[A-Za-z0-9+/]{2,}={0,2}\\.[A-Za-z0-9]{16,}'],
  figma: [['figd_'], 'figd_[\\w-]{20,}'],
  notion: [['ntn_'], 'ntn_[A-Za-z0-9]{30,}'],
  newRelic: [['nrak-', 'nrii-', 'ffffnral'], 'NR(?:AK|II)-[\\w-]{20,}|[0-9a-f]{32}FFFFNRAL'],
  sentry: [['sntrys_', 'sntryu_'], 'sntry[su]_[\\w=+/-]{20,}'],
  grafana: [['glsa_', 'glc_'], 'gl(?:sa|c)_[\\w=]{20,}'],
  sonar: [['sqp_', 'squ_', 'sqa_'], 'sq[pua]_[0-9a-f]{40}'],
  doppler: [['dp.'], 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[\\w-]{1,40}\\.)?[A-Za-z0-9]{40,}'],
  circleCi: [['ccipat_'], 'CCIPAT_\\w{16,}'],
  buildkite: [['bkua_', 'bkct_', 'bkaj_', 'bkat_'], 'bk(?:ua|ct|aj|at)_[A-Za-z0-9]{16,}'],
  quest: [['oc|'], 'OC\\|\\d{10,}\\|[0-9a-f]{32}'],
}

/** Shapes without a fixed substring: their pattern, and a shorter one that every text is asked first. */
const NAMELESS_SHAPES: readonly (readonly [near: RegExp, pattern: string])[] = [
  // A Discord bot.
  [/\.[\w-]{6,7}\.[\w-]{27}/, '[MNO][\\w-]{23,28}\\.[\\w-]{6,7}\\.[\\w-]{27,}'],
  // No digest has 34 digits, and Jenkins marks its tokens with the version 11.
  [/11[0-9a-f]{32}/, '11[0-9a-f]{32}(?![0-9A-Za-z])'],
]

/** A ticket of Perforce: not inside a longer word. */
const TICKET = '(?=[0-9A-F]{32}(?![0-9A-Za-z]))'
/** A key of 256 bits in base 64. */
const KEY_256 = '[A-Za-z0-9+/]{43}='

/** Positions of a credential of any shape. */
const PLACES: Table = {
  // Chat webhooks: anybody who knows the path can post.
  slackWebhook: [['hooks.slack.com/'], 'hooks\\.slack\\.com/(?:services|workflows|triggers)/'],
  discordWebhook: [['/webhooks/'], 'discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{1,25}/'],
  teamsWebhook: [['webhook.office.com/'], 'webhook\\.office\\.com/webhookb2/'],
  mattermostWebhook: [['/hooks/'], '/hooks/(?:[A-Za-z0-9]{17,24}/)?(?=[A-Za-z0-9]{26,}(?![\\w-]))'],
  zapierWebhook: [['hooks.zapier.com/'], 'hooks\\.zapier\\.com/hooks/catch/\\d{1,12}/'],
  // Where crashes and results are posted.
  backtrace: [['submit.backtrace.io/'], 'submit\\.backtrace\\.io/[\\w.-]{1,60}/'],
  swarm: [['/testruns/'], '/testruns/\\d{1,12}/(?=[0-9A-Fa-f-]{36})'],
  itch: [['itch.io/api/1/'], 'itch\\.io/api/1/(?!(?:jwt|key)[/?])(?=\\w{20,})'],
  // Perforce: `p4 -P TICKET`, and what `p4 login -p` prints after it asked.
  ticket: [['-p ', '-p\t'], `-P[ \\t]{1,3}${TICKET}`],
  printedTicket: [
    ['enter password:', 'login '],
    `(?:Enter password:|\\blogin[ \\t]{1,3}(?:-\\w{1,2}[ \\t]{1,3}){0,3}-[ah]?p)[ \\t]{0,3}(?:[\\w.@-]{1,60}[ \\t]{0,3})?\\r?\\n(?:\\S{1,40}[ \\t])?${TICKET}`,
  ],
  unity: [
    ['serial ', 'serial"', "serial'", 'serial:', 'serial=', 'serial_', 'serial-', 'serial\t'],
    '[Ss](?:erial|ERIAL)(?:[ _-](?:[Nn]umber|[Kk]ey|NUMBER|KEY))?["\']?[ \\t:=]{1,3}["\']?(?=[A-Z0-9]{2}(?:-[A-Z0-9]{4}){5}(?![A-Z0-9-]))',
  ],
  unityLicense: [
    ['developerdata', 'serialhash', '<signaturevalue'],
    '<(?:DeveloperData|SerialHash)[ \\t]{1,3}Value=\\\\?["\']|<SignatureValue>',
  ],
  // Unreal: keys of packages in JSON and in INI files, and the private half of the one that signs them.
  packageKey: [
    ['key"', "key'", 'key\\', 'key=', 'key: ', 'key ='],
    `\\b[Kk]ey\\\\?["']?[ \\t]{0,3}[:=][ \\t]{0,3}\\\\?["'](?=${KEY_256})`,
  ],
  privateExponent: [['exponent'], '[Ee]xponent\\\\?["\']?[ \\t]{0,3}[:=][ \\t]{0,3}\\\\?["\']?(?=(?:0x)?[A-Za-z0-9+/]{40})'],
  aes: [['aes'], `\\b[Aa][Ee][Ss](?:[ _-]?[Kk]ey)?[ \\t=:]{1,3}["']?(?=(?:0x)?[0-9A-Fa-f]{64}|${KEY_256})`],
  steam: [['+login'], '\\+login[ \\t]{1,3}[\\w.@-]{1,100}[ \\t]{1,3}(?=[^\\s+])'],
  steamGuard: [['set_steam_guard_code'], 'set_steam_guard_code[ \\t]{1,3}'],
  // Git asks on the terminal.
  prompt: [['password for', 'passphrase for'], '[Pp]ass(?:word|phrase) for (?:key )?[\'"][^\'"\\n]{1,300}[\'"]:[ \\t]{1,3}'],
  putty: [['private-mac'], 'Private-MAC:[ \\t]{1,3}'],
  // The last of three lines of .netrc.
  netrc: [
    ['login'],
    'password(?<=\\blogin[ \\t]{1,3}\\S{1,100}[ \\t]{0,9}\\r?\\n[ \\t]{0,9}password)[ \\t]{1,3}(?=\\S+[ \\t\\r]*(?:\\n|$))',
  ],
  // `curl -u user:password`; two numbers are a user and a group.
  curl: [[' -u', '\t-u', '\n-u', '--user'], '(?<=\\s)(?:-u|--user)[ \\t=]{0,3}["\']?(?!\\d+:\\d+(?!\\S))[^\\s:"\'/]{1,100}:'],
  // A link that we gave to somebody without an account.
  shared: [['/shared/'], '/shared/[0-9a-z]{1,8}-(?=[A-Za-z0-9]{43}(?![A-Za-z0-9]))'],
}

/** The lines of a ticket file, and of `p4 tickets`. */
const TICKETS = new RegExp(`(:\\d{2,5}=[\\w.-]{1,60}:|\\([\\w.-]{1,60}\\) )${TICKET}\\w{32}`, 'g')
const NEAR_TICKETS = /(?::|\) )[0-9A-F]{32}/

/** Keys over several lines, also those that were cut or never decoded. */
const PRIVATE_KEY =
  /(?<![A-Za-z0-9])-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,16000}(?:-----END [A-Z0-9 ]{0,40}-----)?/g
const PUTTY_KEY = /(Private-Lines:[ \t]{1,3}\d{1,3}(?:\r?\n|\\n))(?:[A-Za-z0-9+/=]{1,100}(?:\r?\n|\\n|$)){1,200}/g

/** A client of Unreal Game Sync has its token in the path of every URL. */
const UGS_TOKEN = /(\/ugs\/)[A-Za-z0-9]{43}(?![A-Za-z0-9])/g

const nearOf = (table: Table): readonly string[] => Object.values(table).flatMap(([near]) => near)
export const NEAR: readonly string[] = ['gm_', '/ugs/', '-----begin', 'private-lines', ...nearOf(SHAPES), ...nearOf(PLACES)]
/** Shapes without a fixed substring; separate patterns, because one for all is many times slower. */
export const NAMELESS: readonly RegExp[] = [...NAMELESS_SHAPES.map(([near]) => near), NEAR_TICKETS]

const oneOf = (patterns: readonly string[]) => `(?:${patterns.join('|')})`
const patternsOf = (table: Table) => Object.values(table).map(([, pattern]) => pattern)
/** Not inside a word; an escape (`\n`, `%3D`) or a color before it is not part of it. */
const START = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]|%[0-9A-Fa-f]{2}|\\x1b\\[[\\d;]{0,20}m))'
const SHAPE = new RegExp(START + oneOf(patternsOf(SHAPES)), 'g')
const NAMELESS_SHAPE = new RegExp(START + oneOf(NAMELESS_SHAPES.map(([, pattern]) => pattern)), 'g')
const PLACE = new RegExp(`(${oneOf(patternsOf(PLACES))})(?!\\[secret\\])[^\\s"'<>\\x1b]+`, 'g')

/** The user before the host of a URL, with or without a password. */
const USER_INFO = /(:\\?\/\\?\/)[^\s/?#"'<>\\]*@/g
const ENCODED_USER_INFO = /(%3a%2f%2f)[^\s/?#&"'<>]{1,300}%40/gi

export const SECRET = '[secret]'

const redactNamedShapes = rewriteNear(nearOf(SHAPES), (lines) => lines.replace(SHAPE, SECRET))
const redactPlaces = rewriteNear(nearOf(PLACES), (lines) => lines.replace(PLACE, `$1${SECRET}`))
const redactNameless = (text: string): string =>
  NAMELESS_SHAPES.some(([near]) => near.test(text)) ? text.replace(NAMELESS_SHAPE, SECRET) : text
const redactTickets = (text: string): string => (NEAR_TICKETS.test(text) ? text.replace(TICKETS, `$1${SECRET}`) : text)

/** Removes credentials of a known shape or at a known position. */
export const redactShapes = (text: string): string =>
  redactPlaces(
    redactTickets(
      redactNameless(
        redactNamedShapes(
          redactOwnTokens(text, SECRET)
            .replace(USER_INFO, '$1')
            .replace(ENCODED_USER_INFO, '$1')
            .replace(UGS_TOKEN, `$1${SECRET}`)
            .replace(PRIVATE_KEY, SECRET)
            .replace(PUTTY_KEY, `$1${SECRET}`),
        ),
      ),
    ),
  )
