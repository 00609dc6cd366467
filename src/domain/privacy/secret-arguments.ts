/** Arguments that are credentials only in certain commands: `sshpass -p …` has one, `mkdir -p …` does not. */
export interface Command {
  /** Without folder and extension, in lower case. */
  names: readonly string[]
  /** One of these must come before: `docker login`, but not `docker run`. */
  verbs?: readonly string[]
  /** The next word is a credential, or the part after `=` in the same word. */
  flags?: readonly string[]
  /** The rest of the word is a credential: `mysql -p…`. */
  glued?: readonly string[]
  /** The next word is a user and a credential, with this between them. */
  pairs?: { separator: string; flags: readonly string[] }
  /** Whether a word without a flag is a credential, given the words before it, the command first. */
  bare?: (word: string, before: readonly string[]) => boolean
  /** After this word, the input of the command is a credential. */
  input?: string
  /** Whether flags still have the meaning above, given the words before. */
  while?: (before: readonly string[]) => boolean
}

const LOGIN = { verbs: ['login'], flags: ['-p'], glued: ['-p'], input: '--password-stdin' }
/** Flags of `p4` itself that take a word. After its verb, `-P` is a parent stream. */
const P4_FLAG = /^-[bcCdHLpPQruvxzZ]$/
const isBeforeVerb = (before: readonly string[]) =>
  before.every((word, index) => index === 0 || word.startsWith('-') || P4_FLAG.test(before[index - 1]!))
/** A drive, a share, a switch, or a star that asks for the password. */
const NET_WORD = /^(?:[A-Za-z]:|\*|[\\/].*)$/
const SECRET_NAME = /pass|pwd|secret|token|api_?key/i

const COMMANDS: readonly Command[] = [
  { names: ['p4'], flags: ['-P'], while: isBeforeVerb },
  { names: ['p4'], input: 'login' },
  { names: ['p4'], verbs: ['passwd'], flags: ['-P', '-O'] },
  { names: ['keytool'], flags: ['-new'] },
  { names: ['apksigner'], flags: ['--ks-pass', '--key-pass'] },
  { names: ['altool', 'itmstransporter', 'psexec', 'psexec64', 'certutil', 'twine'], flags: ['-p'] },
  { names: ['signtool'], flags: ['/p', '-p'] },
  { names: ['osslsigncode', 'openssl'], flags: ['-pass', '-passin', '-passout'] },
  { names: ['pvk2pfx'], flags: ['-pi', '-po', '/pi', '/po'] },
  { names: ['security'], verbs: ['unlock-keychain', 'create-keychain', 'set-keychain-password'], flags: ['-p', '-o'] },
  { names: ['security'], verbs: ['import', 'export'], flags: ['-P'] },
  { names: ['security'], verbs: ['set-key-partition-list'], flags: ['-k'] },
  { names: ['security'], verbs: ['add-generic-password', 'add-internet-password'], flags: ['-w'] },
  { names: ['docker', 'podman', 'nerdctl', 'buildah', 'skopeo', 'helm', 'oras', 'crane', 'oc', 'az', 'cf'], ...LOGIN },
  { names: ['gh'], input: '--with-token' },
  { names: ['sudo'], input: '-S' },
  { names: ['chpasswd'], input: 'chpasswd' },
  { names: ['sshpass'], flags: ['-p'], glued: ['-p'] },
  { names: ['plink', 'pscp', 'psftp', 'putty'], flags: ['-pw'] },
  { names: ['curl'], pairs: { separator: ':', flags: ['-u', '--user', '-U', '--proxy-user'] } },
  { names: ['lftp'], pairs: { separator: ',', flags: ['-u', '--user'] } },
  { names: ['smbclient'], pairs: { separator: '%', flags: ['-U', '--user'] } },
  { names: ['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mariadb', 'mariadb-dump'], glued: ['-p'] },
  { names: ['sqlcmd', 'bcp', 'osql'], flags: ['-P'], glued: ['-P'] },
  { names: ['mongo', 'mongosh', 'mongodump', 'mongorestore'], flags: ['-p'] },
  { names: ['redis-cli'], flags: ['-a'] },
  { names: ['zip', 'unzip'], flags: ['-P'] },
  { names: ['7z', '7za', '7zr', '7zz'], glued: ['-p'] },
  { names: ['nuget', 'dotnet'], verbs: ['push'], flags: ['-k'] },
  { names: ['nuget'], verbs: ['setapikey', 'setApiKey', 'SetApiKey'], bare: (_, before) => before.length === 2 },
  // `nuget push Game.nupkg KEY -Source …`.
  { names: ['nuget'], verbs: ['push'], bare: (_, before) => before.length === 3 && !before[2]!.startsWith('-') },
  { names: ['schtasks', 'at'], flags: ['/rp', '/RP', '-rp', '/p', '/P'] },
  { names: ['makepkg'], flags: ['/lekb', '-lekb'] },
  { names: ['butler'], flags: ['--key', '-key'] },
  { names: ['vault'], verbs: ['login'], bare: (word) => !/^(?:method|path)=/.test(word) },
  { names: ['curl'], flags: ['--oauth2-bearer', '--pass', '--proxy-pass', '--tlspassword'] },
  { names: ['curl', 'wget'], pairs: { separator: ':', flags: ['--proxy-user'] } },
  {
    names: ['npm', 'pnpm', 'yarn'],
    bare: (_, before) => before.length > 2 && /:?_(?:authToken|auth|password)$/.test(before.at(-1)!),
  },
  { names: ['heroku', 'doctl', 'snyk', 'netlify'], verbs: ['auth'], flags: ['-t'] },
  { names: ['aws'], verbs: ['configure'], flags: ['aws_secret_access_key', 'aws_session_token'] },
  { names: ['cmdkey'], glued: ['/pass:'] },
  { names: ['setx'], bare: (_, before) => before.length > 1 && SECRET_NAME.test(before.at(-1)!) && !isReference(before.at(-1)!) },
  { names: ['rclone'], verbs: ['create', 'update'], flags: ['secret_access_key', 'pass', 'client_secret'] },
  {
    names: ['set-item'],
    bare: (word, before) =>
      !/^(?:-|"?\$)/.test(word) && before.some((each) => /^["']?env:/i.test(each) && SECRET_NAME.test(each)),
  },
  { names: ['convertto-securestring'], flags: ['-String'], bare: (_, before) => before.length === 1 },
  { names: ['net'], verbs: ['use'], bare: (word, before) => before.length > 2 && !NET_WORD.test(word) },
  // `net user NAME PASSWORD /add`.
  { names: ['net'], verbs: ['user'], bare: (word, before) => before.length === 3 && !NET_WORD.test(word) },
  // `+login USER PASSWORD [CODE] +app_update …`.
  {
    names: ['+login'],
    bare: (word, before) =>
      (before.length === 2 || before.length === 3) && [...before.slice(1), word].every((each) => !each.startsWith('+')),
  },
  // A line of .netrc.
  { names: ['machine', 'default'], flags: ['password'], while: (before) => /^login [^:,.]+$/.test(before.slice(-2).join(' ')) },
]

const BY_NAME = new Map<string, Command[]>()
for (const command of COMMANDS) for (const name of command.names) BY_NAME.set(name, [...(BY_NAME.get(name) ?? []), command])

/** The longest path in front of the name of a command. */
const NAME_MAX = 40

/** The rule for a word that names a command: `"C:\Program Files\…\signtool.exe"` and `$(docker` too. */
export function commandsOf(word: string): readonly Command[] | undefined {
  const name = /[^\\/;&([=`"']*(?=["']?$)/.exec(word.slice(-NAME_MAX))![0].toLowerCase()
  return BY_NAME.get(name.replace(/\.(?:exe|cmd|bat)$/, ''))
}

/** Text that every line with such a command contains, in lower case. */
export const NEAR_ARGUMENTS =
  '-p\t|-p"|-p\'|-p=|/p |7z|aws_s|bcp|butler|cmdkey|curl|fastlane_session|keypass|keytool|lekb|lftp|login|mariadb|mysql|net use|net.exe use|nuget|osql|partition-list|oauth2-bearer|_auth|doctl|heroku|snyk|netlify|-pass|passp|passw|pvk2pfx|rclone|redis-cli|securestring|set-item|schtasks|setx|signtool|smbclient|sqlcmd|sshpass|storepass|sudo|--with-token|-pw |-p '.split(
    '|',
  )

/** A word that is no credential: a reference to one (`env:KS_PASS`, `@keychain:…`, `$TOKEN`), a placeholder, or `2>&1`. */
const REFERENCE =
  /^(?:@(?:keychain|env|file):|(?:env|file|fd):|stdin$|\$(?:[A-Z_][A-Z\d_]*$|[{(]|env:)|%\w+%$|!\w+!$|<[\w -]*>$|\*+$|\[\w+\]$|\d?[<>])/
export const isReference = (word: string) => REFERENCE.test(word.slice(0, 100))
