import { expect, test } from 'vitest'
import { SECRET_CORPUS } from '../../../test/support/files/secret-corpus.ts'
import { mayHoldPrivate, scrub } from './scrub.ts'
import { newToken, newWebhookToken } from './secrets.ts'

test('the corpus has at least 150 different lines', () => {
  expect(new Set(SECRET_CORPUS.map(([line]) => line)).size).toBeGreaterThanOrEqual(150)
})

/** As terminals print a line, and as logs store it. */
const COLORED: Readonly<Record<string, (line: string, secret: string) => string>> = {
  plain: (line) => line,
  'behind a time and a color': (line) => `[12:00:01] \x1b[1;31m${line}\x1b[0m`,
  'with a colored credential': (line, secret) => line.replace(secret, () => `\x1b[1m${secret}\x1b[0m`),
  'with a color within the credential': (line, secret) =>
    line.replace(secret, () => `${secret.slice(0, 5)}\x1b[38;5;9m${secret.slice(5)}`),
  'with a color within the words before': (line, secret) =>
    line.slice(0, line.indexOf(secret)).replace(/[a-z](?=[a-z])/gi, '$&\x1b(B\x1b[m') + line.slice(line.indexOf(secret)),
  'with sequences in JSON': (line, secret) => line.replace(secret, () => `\\u001b[33m${secret}\\u001b[0m`),
  'with a hyperlink around the credential': (line, secret) =>
    line.replace(secret, () => `\x1b]8;;https://ci.example/1\x1b\\${secret}\x1b]8;;\x1b\\`),
  'with a hyperlink within the credential, in JSON': (line, secret) =>
    line.replace(
      secret,
      () => `${secret.slice(0, 5)}\\u001b]8;id=1;https://ci.example\\u0007${secret.slice(5)}\\u001b]8;;\\u0007`,
    ),
  'with sequences that lost their first character': (line, secret) => line.replace(secret, () => `[33m${secret}[0m`),
}

test.each(Object.entries(COLORED))('no line %s shows its credential', (_, color) => {
  const shown = SECRET_CORPUS.flatMap(([line, secret]) => {
    const colored = color(line, secret)
    const clean = scrub(colored)
    const rest = clean
      .replace(/(?:\x1b|\\u001b)?\[[\d;]*m|\x1b\(B|(?:\x1b|\\u001b)\][^\x1b\\]*(?:\x1b\\|\\u0007)/g, '')
      .replaceAll('[secret]', '')
    const isHidden = clean !== colored && !rest.includes(secret) && !rest.includes(secret.slice(5, 14)) && scrub(clean) === clean
    return isHidden && mayHoldPrivate(colored) && mayHoldPrivate(JSON.stringify({ text: colored })) ? [] : [`${line} → ${clean}`]
  })
  expect(shown).toEqual([])
})

test('a colored log keeps its colors where nothing was removed', () => {
  const log = '\x1b[32mCompiled\x1b[0m 12 files\n\x1b[31mpassword\x1b[0m=hunter22\n\x1b[33mwarning\x1b[0m: slow'
  expect(scrub(log)).toBe('\x1b[32mCompiled\x1b[0m 12 files\npassword=[secret]\n\x1b[33mwarning\x1b[0m: slow')
  const clean = '\x1b[32mtoken\x1b[0m: [31m<eof>[0m'
  expect(scrub(clean)).toBe(clean)
})

test('a hyperlink stays where nothing was removed, and the credential in its address does not', () => {
  const link = (address: string) => `see \x1b]8;;${address}\x1b\\the log\x1b]8;;\x1b\\ of 3 files`
  expect(scrub(link('https://ci.example/1'))).toBe(link('https://ci.example/1'))
  expect(scrub(link('https://bot:Zq7Marked1@ci.example/1'))).not.toContain('Zq7Marked1')
  expect(scrub(`${link('https://ci.example/1')}\npassword=Zq7Marked1`)).toBe(`${link('https://ci.example/1')}\npassword=[secret]`)
})

test('a key in the JSON of Unreal is removed, and what surrounds it stays', () => {
  const key = 'Zq7Marked'.repeat(5).slice(0, 43)
  expect(scrub(`"EncryptionKey": { "Name": "main", "Guid": "0A1B", "Key": "${key}=" }, "next": 1`)).toBe(
    '"EncryptionKey": { "Name": "main", "Guid": "0A1B", "Key": "[secret]" }, "next": 1',
  )
})

test.each([
  ['API token', newToken],
  ['webhook token', newWebhookToken],
])('our own %s is removed without anything that tells it, and a digest of its length stays', (_, make) => {
  for (let n = 0; n < 50; n++) {
    const token = make()
    for (const text of [
      token,
      `curl ${token}`,
      `"${token}"`,
      `first\\n${token}`,
      `q=%3D${token}&b`,
      `tok \x1b[1m${token}\x1b[0m`,
    ]) {
      expect(mayHoldPrivate(text)).toBe(true)
      expect(scrub(text)).not.toContain(token)
    }
    const other = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
    expect(scrub(`sha ${other} x${token} ${token}0`)).toBe(`sha ${other} x${token} ${token}0`)
  }
})

/** Near a credential in shape, and none. */
const HARMLESS = `
Authorization: basic ***
git -c http.extraheader="AUTHORIZATION: basic ***" fetch origin
server-password: DEPLOY_TOKEN
export UPLOAD_TOKEN=[secure]
export UPLOAD_TOKEN=$STUDIO_TOKEN
export UPLOAD_TOKEN=\${{ secrets.STUDIO_TOKEN }}
Resolved Studio.Cecil, Version=1.0.0.0, PublicKeyToken=0a1b2c3d4e5f6071
Including org.jsonwebtokens.example:core:1.2.3
no type signature: step_one_0 :: Action
Missing signature: '/libs/1.2.3/core-1.2.3.pom.asc' does not exist
number of tries to enter a password: 3
studio_erl_pass:translate/2
AddInput("password", "Password:"),
Pass=BasePass, RenderPass=Shadow
pass=12 fail=0
pass: true
"pass": "yes"
sshpass: command not found
bypass=enabled
compass=north
"auth": "basic"
"password": {
"EncryptionKey": [
(builder) 0123456789abcdef
BasePass 0123456789ABCDEF0123456789ABCDEF
MD5 (Game.pak) = 0123456789ABCDEF0123456789ABCDEF
"key": "sha256-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ="
p4 login -a
p4 login -p
vault login -method=oidc
Set-Item Env:BUILD_NUMBER 1200
Set-Item -Path Env:TOKENS_USED -Value $tokens
nuget push Game.1.0.nupkg -Source https://packages.example
butler push build studio/game:win
schtasks /run /tn nightly
<password></password>
<token>$(UploadToken)</token>
List<Token> tokens = new List<Token>()
/shared/art/hero.png
/testruns/706/report
took [5min] with [m] in [main]
`

test.each(HARMLESS.trim().split('\n'))('%s stays as it is', (line) => {
  expect(scrub(line)).toBe(line)
  expect(scrub(`[12:00:01] \x1b[32m${line}\x1b[0m\nnext`)).toBe(`[12:00:01] \x1b[32m${line}\x1b[0m\nnext`)
})
