/**
 * Credentials in the shapes tools give them, made up, each with a mark in the part that must not leave. `#` stands where more of the
 * mark goes, so that lengths fit.
 */
export const MARK = 'Zq7Marked'
const fill = (length: number) => `${MARK}${'Zq7xK2vN9wLp4TsR8dYb6HcJ3mFg5A1eQ0uZi'.repeat(3)}`.slice(0, length)
/** Where only hexadecimal digits fit. */
export const HEX_MARK = 'badc0ffee0ddf00d'
const hex = (length: number) => `${HEX_MARK}${'0123456789abcdef'.repeat(4)}`.slice(0, length)
const base64 = (text: string) => Buffer.from(text).toString('base64')

export const CREDENTIALS: Readonly<Record<string, string>> = {
  'GitHub token': `ghp_${fill(36)}`,
  'GitHub fine-grained token': `github_pat_11ABCDEFG0${fill(60)}`,
  'GitLab token': `glpat-${fill(20)}`,
  'Slack bot token': `xoxb-123456789012-123456789012-${fill(24)}`,
  'Slack webhook': `https://hooks.slack.com/services/T00000000/B00000000/${fill(24)}`,
  'Discord webhook': `https://discord.com/api/webhooks/123456789012345678/${fill(60)}`,
  'Discord bot token': `MTIzNDU2Nzg5MDEyMzQ1Njc4.GhIjKl.${fill(38)}`,
  'AWS access key': `AKIA${'ZQ7MARKEDXYZ2345'}`,
  'AWS secret key': `aws_secret_access_key = ${fill(40)}`,
  'Google API key': `AIza${fill(35)}`,
  'Google client secret': `GOCSPX-${fill(28)}`,
  'Google access token': `ya29.${fill(60)}`,
  'Azure storage key': `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${fill(60)}==;EndpointSuffix=core.windows.net`,
  'Azure client secret': `abc8Q~${fill(34)}`,
  'Stripe key': `sk_live_${fill(24)}`,
  'Stripe webhook secret': `whsec_${fill(32)}`,
  'OpenAI key': `sk-proj-${fill(48)}`,
  'npm token': `npm_${fill(36)}`,
  'npm line': `//registry.example/:_authToken=${fill(36)}`,
  'PyPI token': `pypi-AgEIcHlwaS5vcmc${fill(60)}`,
  JWT: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ${fill(20)}.${fill(43)}`,
  'private key': `-----BEGIN RSA PRIVATE KEY-----\n${fill(64)}\n${fill(64)}\n-----END RSA PRIVATE KEY-----`,
  'password in a URL': `https://builder:${fill(12)}@git.studio.example/repo.git`,
  'password with an at-sign in a URL': `postgres://app:p@${fill(12)}@db.internal:5432/app`,
  'token in a URL': `https://${fill(20)}@github.com/org/repo`,
  'AWS signed URL': `https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=${hex(64)}&X-Amz-Expires=60`,
  'Google signed URL': `https://storage.googleapis.com/b/k?X-Goog-Signature=${hex(64)}`,
  'CloudFront signed URL': `https://d111.cloudfront.net/k?Expires=1&Signature=${fill(60)}~&Key-Pair-Id=K1`,
  'Azure SAS': `https://a.blob.core.windows.net/c/k?sv=2024-01-01&sp=r&sig=${fill(40)}%3D`,
  'token parameter': `https://ci.example/artifact.zip?token=${fill(20)}`,
  'authorization header': `Authorization: Bearer ${fill(24)}`,
  'basic authorization': `curl -H 'Authorization: Basic ${base64(`kim:${MARK}`)}${fill(8)}' https://ci.example`,
  'bearer alone': `sent Bearer ${fill(24)}`,
  cookie: `Cookie: theme=dark; session=${fill(24)}`,
  'password assignment': `password=${fill(10)}`,
  'password in JSON': JSON.stringify({ user: 'kim', password: fill(10) }),
  'password in escaped JSON': JSON.stringify(JSON.stringify({ dbPassword: fill(10) })),
  'password in YAML': `  db_password: ${fill(10)}`,
  'quoted password of several words': `PASSWORD="correct horse ${fill(10)} staple"`,
  'password flag': `butler push --password ${fill(10)} game:win`,
  'api key flag': `upload --api-key ${fill(20)}`,
  'Steam login': `steamcmd +login builder ${fill(10)} +run_app_build`,
  'Steam web key': `https://partner.steam-api.com/x/v1/?key=${hex(32).toUpperCase()}&appid=480`,
  'Unity serial': `Unity -batchmode -serial SC-ZQ7M-ARKD-ABCD-EFGH-IJKL -quit`,
  'Perforce ticket': `P4TICKET=${hex(32).toUpperCase()}`,
  'Perforce ticket flag': `p4 -P ${hex(32).toUpperCase()} sync`,
  'Perforce tickets file': `perforce:1666=builder:${hex(32).toUpperCase()}`,
  'Perforce password': `P4PASSWD=${fill(10)}`,
  'Jenkins API token': `11${hex(32)}`,
  'curl credentials': `curl -u builder:${fill(16)} https://ci.example`,
  'webhook token header': `X-Service-Token: ${hex(64)}`,
  'Linear key': `lin_api_${fill(40)}`,
  'Buildkite token': `bkua_${fill(40)}`,
  'Atlassian token': `ATATT3${fill(60)}`,
}

/** Whether any part of a marked credential is left, in upper case or not. */
export const isMarked = (text: string): boolean =>
  /zq7m|kim:zq7|badc0ffee0ddf00d/i.test(text) || text.includes(base64(`kim:${MARK}`).slice(0, 12))

/** What looks like an address or a credential and is none. */
export const HARMLESS: readonly string[] = [
  'icon@2x.png',
  'Hero@Walk.fbx',
  'pkg@1.2.3',
  'lodash@4.17.21',
  'react@18.0.0-rc.next',
  '@scope/pkg',
  'node_modules/@types/node/index.d.ts',
  '//depot/main/...@1234',
  '//depot/main/Hero.uasset@=12345',
  'kim@12345',
  'kim@kim_workspace',
  '6f1ed002ab5595859014ebf0951522d9a1b2c3d4',
  '550e8400-e29b-41d4-a716-446655440000',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855  Game.exe',
  'cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e',
  'MD5=D41D8CD98F00B204E9800998ECF8427E',
  'error: unexpected token: else',
  'SyntaxError: Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON',
  'auto token = lexer.next();',
  'PWD=/var/lib/jenkins/workspace/game',
  'docker run -u 1000:1000 unreal',
  'uniform highp_texturecoordinates',
  'Tests: pass: 12 fail: 3',
  'password authentication failed for user "app"',
  'the bearer plugin is missing',
  'ticket: GAME-12',
  'key: value',
  'token: null',
  'https://ci.example/job/night/12/artifact/Game.zip?x=1&y=2#top',
  'task-force-with-a-rather-long-name',
  'npm_config_registry=https://registry.example',
  'Night Build #1234 on release/1.0',
]
