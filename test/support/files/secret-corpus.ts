/**
 * Lines of logs with one made-up credential each. `<16>` stands for that many letters and digits, `<h32>` and `<H32>` for hexadecimal ones,
 * `<B44>` for base 64: so no line is a finding of a secret scanner. Every placeholder is filled with text that begins with a mark.
 */
const LINES = `
password=<12>
pass=<12>
login: user=kim pass=<12>
$pass = '<12>'
$pw = "<12>"
db_pass: <12>
dbPass=<12>
SSHPASS=<12>
export SSHPASS=<12> && sshpass -e ssh build-07
SMTP_PASS=<12>
export DEPLOY_PWD=<12>
set "P4PASSWD=<12>"
set ORACLE_PASSWORD=<12>
$env:SIGN_PASSWORD = '<12>'
$env:SIGN_PASSWORD="<12>"
setenv STUDIO_PASSWORD=<12>
AZURE_DEVOPS_EXT_PAT=<52>
export ADO_PAT=<52>
STUDIO_SECRET=<20>
STUDIO_SECRET_PROD=<20>
CRASH_API_KEY=<20>
UPLOAD_TOKEN=<20>
UPLOAD_TOKEN_B64=<20>
MATCH_PASSWORD=<12>
KEYSTORE_PASSWORD2=<12>
keyPassword=<12>
storePassword '<12>'
password: <12>
password: "<12>"
  - password: '<12>'
password := <12>
password => "<12>"
:password => '<12>',
"password": "<12>"
{"user":"kim","password":"<12>"}
{\\"user\\":\\"kim\\",\\"password\\":\\"<12>\\"}
{"name": "DB_PASSWORD", "value": "<12>"}
{"name":"UPLOAD_TOKEN","value":"<12>","secure":true}
{\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"<12>\\"}
"client_secret" : "<20>"
"clientSecret":"<20>"
"secretAccessKey": "<40>"
"accessToken": "<20>"
"refresh_token": "<20>"
"auth": "<B40>"
{"auths":{"registry.example":{"auth":"<B40>"}}}
"identitytoken": "<40>"
<password>Zq7Marked</password>
<Password>Zq7Marked1</Password>
<server><id>nexus</id><username>ci</username><password>Zq7Marked1</password></server>
<apiKey>Zq7Marked1Abc</apiKey>
<password>Zq7Marked two &amp; three</password>
<token type="bearer">Zq7Marked1Abc</token>
<add key="ClearTextPassword" value="<12>" />
<add key="Password" value="<12>" />
<add name="ApiKey" value="<12>"/>
<property name="sonar.password" value="<12>"/>
<string name="password">Zq7Marked1</string>
<key>password</key><string>Zq7Marked1</string>
<entry key="db.password">Zq7Marked1</entry>
password = <12>
svn_password = <12>
[credentials] password=<12>
api_key = <20>
"password"		"<12>"
"Password" "<12>"
##teamcity[setParameter name='env.DEPLOY_PASSWORD' value='<12>']
##vso[task.setvariable variable=ApiToken;issecret=true]<20>
::set-output name=token::<20>
Password for 'https://builder@git.studio.example': <12>
Enter passphrase for key '/home/ci/.ssh/id_ed25519': <12>
Enter password: <12>
git remote add origin https://builder:<12>@git.studio.example/star.git
svn checkout --username ci --password <12> https://svn.studio.example
net use Z: \\\\files\\builds /user:STUDIO\\ci <12>
schtasks /create /tn nightly /ru STUDIO\\ci /rp <12> /tr build.cmd
schtasks.exe /change /tn nightly /rp <12>
cmdkey /add:nas /user:ci /pass:<12>
psexec \\\\build-07 -u ci -p <12> cmd
curl --oauth2-bearer <24> https://ci.example/api
curl --pass <12> --cert studio.pem https://ci.example
curl -u builder:<12> https://ci.example
curl --user builder:<12> https://ci.example
curl --proxy-user builder:<12> https://ci.example
curl -H "X-Api-Key: <20>" https://ci.example
curl -H "Authorization: Bearer <24>" https://ci.example
curl -H "Authorization: GenieKey <24>" https://alerts.example
curl -H "PRIVATE-TOKEN: <20>" https://git.example
wget --http-password=<12> https://files.example/a.zip
vault login <24>
vault login -no-print <24>
VAULT_TOKEN=<24>
nuget setApiKey <40> -Source https://packages.example
nuget.exe setapikey <40>
nuget push Game.1.0.nupkg <40> -Source https://packages.example
dotnet nuget push Game.1.0.nupkg -k <40>
nuget sources add -Name studio -Username ci -Password <12>
npm config set //registry.example/:_authToken <36>
//registry.example/:_authToken=<36>
//registry.example/:_password=<36>
az login --service-principal -u app -p <34> --tenant t
az storage blob upload --account-key <B88>
az storage blob upload --sas-token "sv=2024-01-01&sp=rw&sig=<40>%3D"
aws configure set aws_secret_access_key <40>
aws_session_token = <60>
sentry-cli --auth-token <40> releases list
fastlane pilot upload FASTLANE_PASSWORD=<12>
xcrun notarytool submit Game.zip --apple-id ci --password <19>
xcrun altool --upload-app -f Game.ipa -p <19>
keytool -genkey -keystore release.jks -storepass <12>
jarsigner -keystore release.jks -keypass <12> game.apk
signtool sign /f studio.pfx /p <12> Game.exe
security unlock-keychain -p <12> build.keychain
docker login registry.example -u ci -p <12>
echo <12> | docker login registry.example -u ci --password-stdin
p4 -u builder -P <12> sync
P4PASSWD=<12>
P4TICKET=<H32>
p4 -P <H32> sync
perforce.studio.example:1666=builder:<H32>
localhost:perforce (builder) <H32>
p4 login -p\\nEnter password:\\n<H32>
p4 -u builder login -a -p\\nEnter password: \\n<H32>
echo x | p4 -u builder login -p\\n<H32>
[12:00:01] Enter password:\\n[12:00:02] <H32>
"EncryptionKey": { "Name": "main", "Guid": "0", "Key": "<B43>=" }
{"SecondaryEncryptionKeys":[{"Name":"dlc","Key":"<B43>="}]}
{\\"EncryptionKey\\":{\\"Key\\":\\"<B43>=\\"}}
+SecondaryEncryptionKeys=(Guid=00000000,Name="dlc",Key="<B43>=")
EncryptionKey="<B43>="
SigningPrivateExponent=<B80>
SigningPrivateExponent="<B80>"
"PrivateKey": { "Exponent": "<B80>", "Modulus": "0" }
UnrealPak Game.pak -aes=<B43>=
LogPakFile: AES key: 0x<h64>
-encryptionkey=<B43>=
EpicGamesLauncher -AUTH_LOGIN=unused -AUTH_PASSWORD=<32> -AUTH_TYPE=exchangecode
steamcmd +login builder <12> +run_app_build app_480.vdf
steamcmd +set_steam_guard_code <12> +login builder
steamLoginSecure=<40>
https://partner.steam-api.com/x/v1/?key=<H32>&appid=480
BUTLER_API_KEY=<40>
butler push --key <40> build studio/game:win
https://itch.io/api/1/<40>/my-games
makepkg pack /f layout.xml /lekb <32> /d Loose
orbis-pub-cmd img_create --passcode <32> game.gp4
prospero-pub-cmd img_create --passcode <32> game.gp5
Unity -batchmode -serial SC-ZQ7M-ARKD-ABCD-EFGH-IJKL -quit
Serial number: F4-ZQ7M-ARKD-ABCD-EFGH-IJKL
UNITY_SERIAL=F4-ZQ7M-ARKD-ABCD-EFGH-IJKL
<DeveloperData Value="<B44>" />
<SerialHash Value="<h40>" />
<SignatureValue>Zq7MarkedBase64Text+/=</SignatureValue>
https://api.telegram.org/bot1234567890:AA<33>/sendMessage
telegram token 1234567890:AA<33>
BITBUCKET ATBB<32>
ATCTT3xFfGN0<60>
NRAK-<H27>
NEW_RELIC_LICENSE_KEY=<40>
https://submit.backtrace.io/studio/<h64>/minidump
https://studio.sp.backtrace.io:6098/post?format=minidump&token=<h64>
POST https://swarm.studio.example/api/v11/testruns/706/<H8>-0000-0000-0000-000000000000/pass
X-Hub-Signature: sha1=<h40>
X-Hub-Signature-256: sha256=<h64>
X-Slack-Signature: v0=<h64>
X-Signature-Ed25519: <h64>
X-Gitlab-Token: <24>
X-SecretKey: <32>
https://goldmaster.example/shared/1-<43>
/shared/zz-<43>
https://goldmaster.example/ugs/<43>/api/latest
https://hooks.slack.com/services/T00000000/B00000000/<24>
https://chat.studio.example/hooks/<26>
https://hooks.zapier.com/hooks/catch/12345/<12>/
https://discord.com/api/webhooks/123456789012345678/<60>
https://studio.webhook.office.com/webhookb2/<36>
ghp_<36>
github_pat_11ABCDEFG0<60>
glpat-<20>
xoxb-123456789012-123456789012-<24>
oauth:<o30>
hf_<34>
rubygems_<h48>
AKCp<60>
sntrys_<60>
glsa_<40>
sqp_<h40>
dp.pt.<43>
CCIPAT_<40>
figd_<40>
ntn_<46>
perm:YnVpbGRlcg==.UGlwZWxpbmU=.<30>
OC|1234567890123456|<h32>
1//0<40>
Private-MAC: <h40>
Private-Lines: 1\\n<B64>
eyJhbGciOiJIUzI1NiJ9.<40>.<43>
eyAidHlwIjogIkpXVCIg<40>.<40>
steamcmd +login builder <12> +run_app_build app.vdf +quit
cmdkey /add:nas /user:build /pass:<12>
net use Z: \\\\files\\share <12> /user:build
sentry-cli --auth-token <24> upload-dif Saved
-cryptokeys -EncryptionKey=<20>
wget --http-password=<12> https://files.example/a
redis://:<12>@cache.example:6379/0
plink -batch -pw <12> build@mac-01
svn checkout --username bot --password <12> svn://svn.example/game
AppSecret = "<20>";
Set-Item Env:P4PASSWD "<12>"
Set-Item -Path Env:\\SIGN_PASSWORD -Value '<12>'
rclone config create art s3 access_key_id AKIA0 secret_access_key <40>
machine git.studio.example login builder password <12>
Cookie: theme=dark; session=<24>
sent Bearer <24>
`

const MARK = 'Zq7Marked'
const LETTERS = `${MARK}${'Zq7xK2vN9wLp4TsR8dYb6HcJ3mFg5A1eQ0uZi'.repeat(4)}`
const DIGITS = `badc0ffee0ddf00d${'0123456789abcdef'.repeat(5)}`
const OF_KIND: Readonly<Record<string, string>> = {
  '': LETTERS,
  B: LETTERS,
  o: LETTERS.toLowerCase(),
  h: DIGITS,
  H: DIGITS.toUpperCase(),
}

const filled = (placeholder: string): string => {
  const [, kind = '', length] = /<(\D?)(\d+)>/.exec(placeholder)!
  return OF_KIND[kind]!.slice(0, Number(length))
}

/** Each line and the part of it that must not be shown. */
export const SECRET_CORPUS: readonly (readonly [line: string, secret: string])[] = LINES.trim()
  .split('\n')
  .map((line) => {
    const shape = /<[BohH]?\d+>/.exec(line)
    const secret = shape ? filled(shape[0]) : /Zq7Mark\w+|ZQ7M-ARKD/.exec(line)![0]
    return [line.replace(/<[BohH]?\d+>/g, filled).replaceAll('\\n', '\n'), secret]
  })
