import { redactOwnTokens } from './scannable-tokens.ts'

/** Credentials with a recognizable shape: a substring that each contains, in lower case, and its pattern. */
const SHAPES: Readonly<Record<string, readonly [near: readonly string[], shape: string]>> = {
  github: [['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'], 'gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\\w{16,}'],
  gitlab: [
    ['glpat-', 'gldt-', 'glrt-', 'glft-', 'glsoat-', 'glcbt-', 'glptt-', 'glagent-', 'gr1348941'],
    'gl(?:pat|dt|rt|ft|soat|cbt|ptt|agent)-[\\w.-]{16,}|GR1348941[\\w-]{16,}',
  ],
  slack: [['xox', 'xapp-'], 'xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\\d-[A-Za-z0-9-]{10,}'],
  discord: [[], '[MNO][\\w-]{23,28}\\.[\\w-]{6,7}\\.[\\w-]{27,}'],
  aws: [['akia', 'asia', 'abia', 'acca'], '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}'],
  google: [['aiza', 'gocspx-', 'ya29.'], 'AIza[\\w-]{30,}|GOCSPX-[\\w-]{20,}|ya29\\.[\\w-]{20,}'],
  azure: [['7q~', '8q~'], '[\\w~.-]{3}[78]Q~[\\w~.-]{31,}'],
  stripe: [['k_live_', 'k_test_', 'k_prod_'], '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}'],
  openai: [['sk-'], 'sk-(?:proj|ant|svcacct|admin|or)-[\\w-]{16,}|sk-[A-Za-z0-9]{20,}'],
  npm: [['npm_'], 'npm_[A-Za-z0-9]{20,}'],
  pypi: [['pypi-a'], 'pypi-A[\\w-]{16,}'],
  webhook: [['whsec_'], 'whsec_[A-Za-z0-9+/=_-]{12,}'],
  jwt: [['eyj'], 'eyJ[\\w-]{10,}(?:\\.[\\w-]+){0,4}'],
  // No digest has 34 digits, and Jenkins marks its tokens with the version 11.
  jenkins: [[], '11[0-9a-f]{32}(?![0-9A-Za-z])'],
  age: [['age-secret-key-1'], 'AGE-SECRET-KEY-1[A-Z0-9]{20,}'],
  sendgrid: [['sg.'], 'SG\\.[\\w-]{16,}\\.[\\w-]{16,}'],
  digitalocean: [['_v1_'], 'do[opr]_v1_[0-9a-f]{32,}'],
  docker: [['dckr_'], 'dckr_(?:pat|oat)_[\\w-]{16,}'],
  hashicorp: [['hvs.', 'hvb.', 'hvr.'], 'hv[sbr]\\.[\\w-]{20,}'],
  linear: [['lin_api_', 'lin_oauth_'], 'lin_(?:api|oauth)_[A-Za-z0-9]{16,}'],
  atlassian: [['atatt3'], 'ATATT3[\\w=-]{16,}'],
  buildkite: [['bkua_', 'bkct_', 'bkaj_', 'bkat_'], 'bk(?:ua|ct|aj|at)_[A-Za-z0-9]{16,}'],
  privateKey: [
    ['-----begin'],
    '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,16000}(?:-----END [A-Z0-9 ]{0,40}-----)?',
  ],
}

/** Positions of a credential of any shape. */
const PLACES: Readonly<Record<string, readonly [near: readonly string[], place: string]>> = {
  // Chat webhooks: anybody who knows the path can post.
  slackWebhook: [['hooks.slack.com/'], 'hooks\\.slack\\.com/(?:services|workflows|triggers)/'],
  discordWebhook: [['/webhooks/'], 'discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{1,25}/'],
  teamsWebhook: [['webhook.office.com/'], 'webhook\\.office\\.com/webhookb2/'],
  // Perforce: `p4 -P TICKET`, and the lines of a ticket file.
  ticket: [['-p ', '-p\t'], '-P[ \\t]{1,3}(?=[0-9A-F]{32}(?![0-9A-Za-z]))'],
  tickets: [[], ':\\d{2,5}=[\\w.-]{1,60}:(?=[0-9A-F]{32}(?![0-9A-Za-z]))'],
  unity: [['serial'], '[Ss](?:erial|ERIAL)["\']?[ \\t:=]{1,3}["\']?(?=[A-Z0-9]{2}(?:-[A-Z0-9]{4}){5}(?![A-Z0-9-]))'],
  steam: [['+login'], '\\+login[ \\t]{1,3}[\\w.@-]{1,100}[ \\t]{1,3}(?=[^\\s+])'],
  // The last of three lines of .netrc.
  netrc: [
    ['passw'],
    'password(?<=\\blogin[ \\t]{1,3}\\S{1,100}[ \\t]{0,9}\\r?\\n[ \\t]{0,9}password)[ \\t]{1,3}(?=\\S+[ \\t]*(?:\\r?\\n|$))',
  ],
  // `curl -u user:password`; two numbers are a user and a group.
  curl: [['-u', '--user'], '(?<=\\s)(?:-u|--user)[ \\t=]{0,3}["\']?(?!\\d+:\\d+(?!\\S))[^\\s:"\'/]{1,100}:'],
}

/** A client of Unreal Game Sync has its token in the path of every URL. */
const UGS_TOKEN = /(\/ugs\/)[A-Za-z0-9]{43}(?![A-Za-z0-9])/g

export const NEAR: readonly string[] = [
  'gm_',
  '/ugs/',
  ...[...Object.values(SHAPES), ...Object.values(PLACES)].flatMap(([near]) => near),
]
/** Shapes without a fixed substring; separate patterns, because one for all is many times slower. */
export const NAMELESS: readonly RegExp[] = [/11[0-9a-f]{32}/, /\.[\w-]{6,7}\.[\w-]{27}/, /:[0-9A-F]{32}/]

const oneOf = (table: typeof SHAPES) =>
  `(?:${Object.values(table)
    .map(([, pattern]) => pattern)
    .join('|')})`
/**
 * Not inside a word; an escape (`
 * `, `%3D`) before it is not part of it.
 */
const SHAPE = new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]|%[0-9A-Fa-f]{2}))${oneOf(SHAPES)}`, 'g')
const PLACE = new RegExp(`(${oneOf(PLACES)})(?!\\[secret\\])[^\\s"'<>]+`, 'g')

/** The user before the host of a URL, with or without a password. */
const USER_INFO = /(:\\?\/\\?\/)[^\s/?#"'<>\\]*@/g
const ENCODED_USER_INFO = /(%3a%2f%2f)[^\s/?#&"'<>]{1,300}%40/gi

export const SECRET = '[secret]'

/** Removes credentials of a known shape or at a known position. */
export const redactShapes = (text: string): string =>
  redactOwnTokens(text, SECRET)
    .replace(USER_INFO, '$1')
    .replace(ENCODED_USER_INFO, '$1')
    .replace(UGS_TOKEN, `$1${SECRET}`)
    .replace(SHAPE, SECRET)
    .replace(PLACE, `$1${SECRET}`)
