/**
 * Lines of build logs with a credential, and the text that must be removed from each; the credentials are made up. Tools print such lines when
 * they echo their commands, and people when they debug a job.
 */
export const SECRET_LINES: readonly (readonly [line: string, ...secrets: string[]])[] = [
  ['jarsigner -keystore release.jks -storepass Wint3r!Owl -keypass K3y&Owl,2 app.aab upload', 'Wint3r!Owl', 'K3y&Owl,2', 'Owl,2'],
  [
    'keytool -importkeystore -srckeystore a.p12 -srcstorepass tiger9 -deststorepass "two words 9"',
    'tiger9',
    'two words 9',
    'words',
  ],
  ['+ apksigner sign --ks release.jks --ks-pass pass:Tr0ub4dor --key-pass pass:An0ther game.apk', 'Tr0ub4dor', 'An0ther'],
  ['xcrun altool --upload-app -f Game.ipa -t ios -u ci@studio.example -p abcd-efgh-ijkl-mnop', 'abcd-efgh-ijkl-mnop'],
  [
    '"C:\\Program Files (x86)\\Windows Kits\\10\\bin\\x64\\signtool.exe" sign /f C:\\certs\\studio.pfx /p Pf%x,Pass;1 Game.exe',
    'Pf%x,Pass;1',
    'Pass;1',
  ],
  ['signtool sign /fd SHA256 /f studio.pfx /p "pass phrase" /tr http://timestamp.example Game.exe', 'pass phrase', 'phrase'],
  ['[12:00:01] security unlock-keychain -p hunter2 ~/Library/Keychains/login.keychain-db', 'hunter2'],
  ["security set-key-partition-list -S apple-tool:,apple: -s -k 'k3y chain' build.keychain", 'k3y chain', 'chain build'],
  ['security import dist.p12 -k build.keychain -P p12pass -T /usr/bin/codesign', 'p12pass'],
  ['+ docker login -u builder -p dckr-Pa55 registry.example', 'dckr-Pa55'],
  ['bash -c "docker login registry.example -u builder -pS3cret && docker push registry.example/game"', 'S3cret'],
  ["subprocess.run(['podman', 'login', '-u', 'ci', '-p', 'Pod&Man1', 'registry.example'])", 'Pod&Man1', 'Man1'],
  ['$ sshpass -p "S$h,Pa;ss" scp Game.zip deploy@build-07:/srv', 'S$h,Pa;ss', 'Pa;ss'],
  ['sshpass -pqwerty12 ssh deploy@build-07 uptime', 'qwerty12'],
  ['p4 -p ssl:perforce.example:1666 -u builder -P Perf0rce! sync //depot/main/...@184203', 'Perf0rce!'],
  ['C:\\Perforce\\p4.exe -u builder -P "Perf orce" info', 'Perf orce', ' orce'],
  ['echo Perf0rce!|p4 -u builder login -a', 'Perf0rce!'],
  ["+ printf 'Pipe d' | p4 login", 'Pipe d'],
  ['p4 login <<< HereString9', 'HereString9'],
  [
    'GET https://goldmaster.example/ugs/Qm4xW8aZk2Lp0Rt6Yv1Nc5Bd9Hf3Js7Ge2Ku4Xo6Zi8/api/latest?project=//Star/main',
    'Qm4xW8aZk2Lp0Rt6Yv1Nc5Bd9Hf3Js7Ge2Ku4Xo6Zi8',
  ],
  ['machine git.studio.example login builder password n3t-rc_Pa55', 'n3t-rc_Pa55'],
  ['machine git.studio.example\n  login builder\n  password n3trcLines', 'n3trcLines'],
  ["curl --fail -u 'builder:p@ss w0rd' https://ci.example/job/night/build", 'p@ss w0rd', 'w0rd'],
  ['curl -ubuilder:gluedPa55 -T Game.zip https://files.example/', 'gluedPa55'],
  ['steamcmd +login builder "St3am Pa55" +run_app_build C:\\build\\app_480.vdf +quit', 'St3am Pa55', 'Pa55'],
  ['steamcmd.exe +login builder St<3am X7Q2M +quit', 'St<3am', '3am', 'X7Q2M'],
  ['BUTLER_API_KEY=bTl3rK3yBtl3r butler push build/win studio/game:win', 'bTl3rK3yBtl3r'],
  ['MYSQL_PWD=db,Pa55 mysqldump game', 'db,Pa55', 'Pa55'],
  ['mysqldump -u root -pR00tPa55 game > dump.sql', 'R00tPa55'],
  ["PGPASSWORD='post gres' psql -h db.internal -U app", 'post gres', 'gres'],
  ['tool upload --password=a&b;c,d9 Game.zip', 'a&b;c,d9', 'b;c', 'd9'],
  ['Unity.exe -batchmode -username ci@studio.example -password Un1ty,Pa55 -quit', 'Un1ty,Pa55', 'Pa55'],
  ['net use Z: \\\\nas.studio.example\\builds /user:STUDIO\\builder N3tUse! /persistent:no', 'N3tUse!'],
  ['net.exe use \\\\nas\\symbols N3tFirst1 /user:builder', 'N3tFirst1'],
  ['azcopy copy Game.zip "https://studio.blob.core.windows.net/builds?sv=2024-01-01&sp=rw&sig=aBc%2FdEf123%3D"', 'aBc%2FdEf123'],
  ['//registry.example/:_authToken=0a1b2c3d-npm-t0ken', '0a1b2c3d-npm-t0ken'],
  ['FASTLANE_PASSWORD=App1e!Id fastlane pilot upload', 'App1e!Id'],
  ["export FASTLANE_SESSION='---\\n- !ruby/object:HTTP::Cookie\\n  name: myacinfo\\n  value: DAWTKN9'", 'DAWTKN9'],
  ['fastlane match --git_url git@github.com:studio/certs.git MATCH_PASSWORD=m4tch,Pa55', 'm4tch,Pa55', 'Pa55'],
  [
    'codesign: unlocking first: security unlock-keychain -p "c0de sign" build.keychain && codesign -s Studio Game.app',
    'c0de sign',
  ],
  ['7z a -pZ1pPa55 -mhe=on symbols.7z Binaries\\Win64', 'Z1pPa55'],
  ['plink -ssh builder@mac-03 -pw Pl1nk,1 "make package"', 'Pl1nk,1'],
  ['echo "t0ken for hub" | docker login ghcr.io -u studio --password-stdin', 't0ken for hub'],
  ['$pw = ConvertTo-SecureString "S3cure String" -AsPlainText -Force', 'S3cure String'],
  ['setx P4PASSWD SetXPa55', 'SetXPa55'],
  ['aws configure set aws_secret_access_key wJalrXUtnFEMI/K7MDENG', 'wJalrXUtnFEMI/K7MDENG'],
]

/** Lines of build logs without a credential, many of which look as if they had one. */
export const HARMLESS_LINES: readonly string[] = `
mkdir -p Saved/StagedBuilds/Windows
+ mkdir -p /var/lib/jenkins/workspace/game/Binaries
mkdir -p "C:/Build Output/Win64" && cp -p Game.exe "C:/Build Output/Win64"
cp -p Config/DefaultGame.ini Saved/Config
cp -Rp Content/Movies dist/
make -p
make -p -f /dev/null
make -j 8 -C Engine/Source
xargs -P 4 -n 1 gzip < files.txt
find . -name '*.uasset' -print0 | xargs -0 -P 8 sha1sum
tar -xpf toolchain.tar.gz -C /opt
tar xpzf sdk.tgz
ssh -p 22 deploy@build-07 uptime
ssh -p 2222 -i ~/.ssh/id_ed25519 deploy@build-07 'mkdir -p /srv/game'
scp -P 2222 Game.zip deploy@build-07:/srv
rsync -e "ssh -p 2222" -avp dist/ deploy@build-07:/srv
docker run -p 8080:80 nginx
docker run --rm -p 127.0.0.1:5432:5432 -e POSTGRES_DB=game postgres:16
docker run -u 1000:1000 -p 80:80 unreal
docker compose -p nightly up -d
docker compose -p login-service up
docker build -t registry.example/game:184203 -f Dockerfile .
docker login registry.example
docker login -u builder --password-stdin registry.example
WARNING! Using --password-stdin is safer than the flag.
Login Succeeded
docker push registry.example/game:184203
docker pull mcr.microsoft.com/dotnet/sdk:8.0
podman ps -p
p4 -p ssl:perforce.example:1666 info
p4 -p perforce:1666 -u builder -c build-07 sync //Star/main/...@184203
p4 sync -p //Star/main/...
p4 -ztag -p perforce:1666 changes -m1 //Star/main/...
p4 integrate -S //Star/dev -P //Star/main
p4 copy -S //Star/release -P //Star/main
p4 populate -P //Star/main -S //Star/dev
p4 login -s
p4 login -a
User builder ticket expires in 11 hours 42 minutes.
p4 -p perforce:1666 login -s
p4 trust -y -f
p4 print -q -o build.cs //Star/main/build.cs
p4 set P4PORT=perforce:1666
p4 submit -d "Move the login screen behind -p"
Perforce password (P4PASSWD) invalid or unset.
echo $P4PASSWD | p4 login
echo "$P4PASSWD" | p4 -u builder login -a
echo %P4PASSWD%|p4 login
echo done | tee build.log
echo "login done"
echo Building with -p 4
echo hello | docker run -i alpine cat
msbuild Game.sln /p:Configuration=Release /p:Platform=x64
msbuild /t:Rebuild /p:Configuration=Shipping;Platform=x64 /m:8
MSBuild.exe Game.sln -p:Configuration=Debug -m
msbuild /p Configuration=Release
dotnet build -p:Version=1.2.3 -c Release
dotnet publish -p:PublishSingleFile=true
dotnet run -p Tools/Packer.csproj
dotnet nuget push Game.1.2.3.nupkg --source https://nuget.example/v3/index.json
nuget restore Game.sln
cl.exe /c /p /Zi Main.cpp
cl /nologo /W4 /EP /P Main.cpp
cl : Command line warning D9025 : overriding '/W3' with '/W4'
clang++ -p -O2 -c Hero.cpp -o Hero.o
gcc -pg -pipe -pthread -c main.c
g++ -print-search-dirs
ld -pie -o game main.o
strip -p game
install -p -m 755 game /usr/local/bin
ls -lp
netstat -p tcp
lsof -p 4711
ps -p 4711 -o comm=
kill -0 4711
top -p 4711
nmap -p 1666 perforce.example
nc -z -p 31337 build-07 1666
curl -fsSL -o sdk.tgz https://files.example/sdk.tgz
curl -U Mozilla https://files.example
curl --user-agent builder/1.0 https://files.example
curl -u builder https://files.example
curl -X POST -d @payload.json https://ci.example/api
curl: (22) The requested URL returned error: 401
wget -P downloads https://files.example/sdk.tgz
wget -p -k https://docs.example/index.html
unzip -p archive.zip manifest.json
unzip -o Game.zip -d out
zip -r -p Game.zip Binaries
7z x toolchain.7z -oC:\\SDK
7z a -mx=9 Game.7z Binaries
7-Zip 23.01 (x64) : Copyright (c) 1999-2023 Igor Pavlov
python -m pip install -p /opt/venv wheel
python3 -m pytest -p no:cacheprovider tests
pytest -p xdist -n 4
npm run build -p
npx -p typescript tsc -p tsconfig.json
tsc -p tsconfig.build.json
npm notice New minor version of npm available! 10.2.4 -> 10.8.1
npm config set registry https://registry.example
yarn install --frozen-lockfile
gradle -p android assembleRelease
./gradlew :app:bundleRelease -Pversion=1.2.3 -PbuildNumber=184203
> Task :app:validateSigningRelease
jarsigner -verify -verbose app.aab
jarsigner -keystore release.jks -storepass:env KS_PASS -keypass:file key.txt app.aab upload
apksigner sign --ks release.jks --ks-pass env:KS_PASS --key-pass file:key.txt game.apk
apksigner verify --print-certs game.apk
keytool -list -v -keystore release.jks -storepass $KS_PASS
keytool -genkeypair -alias upload -keyalg RSA
zipalign -p 4 in.apk out.apk
adb shell pm list packages -p
adb shell dumpsys package -p com.studio.game
xcodebuild -project Game.xcodeproj -scheme Game -configuration Release
xcrun altool --validate-app -f Game.ipa -t ios -u ci -p @keychain:AC_PASSWORD
xcrun altool --upload-app -f Game.ipa -u ci -p @env:AC_PASSWORD
xcrun notarytool submit Game.dmg --keychain-profile notary --wait
xcrun notarytool submit Game.dmg --apple-id ci --password @keychain:AC_PASSWORD --team-id ABCDE12345
xcrun stapler staple -p Game.dmg
codesign --force --deep -s "Developer ID Application: Studio (ABCDE12345)" --keychain build.keychain Game.app
codesign -dvvv --entitlements - Game.app
Game.app: valid on disk, satisfies its Designated Requirement
security find-identity -v -p codesigning
security list-keychains -d user -s build.keychain
security unlock-keychain -p "" build.keychain
security unlock-keychain -p $KEYCHAIN_PASSWORD build.keychain
security default-keychain -s build.keychain
security find-generic-password -w -s notary
security import dist.p12 -k build.keychain -T /usr/bin/codesign
1 identity imported.
signtool sign /a /fd SHA256 /tr http://timestamp.example /td SHA256 Game.exe
signtool verify /pa /v Game.exe
signtool sign /f studio.pfx /p %PFX_PASSWORD% Game.exe
Successfully signed: C:\\Build\\Game.exe
sshpass -e ssh deploy@build-07 uptime
sshpass -f ~/.pw ssh deploy@build-07
sshpass: command not found
steamcmd +login anonymous +app_update 1007 validate +quit
steamcmd +login builder +run_app_build app_480.vdf +quit
Logging in user 'builder' to Steam Public...OK
butler push build/win studio/game:win --userversion 1.2.3
butler login
fastlane pilot upload --skip_waiting_for_build_processing
fastlane match appstore --readonly
[12:00:01]: Installing provisioning profile...
net use
net use Z: /delete
net use Z: \\\\nas.studio.example\\builds /persistent:no
net use Z: \\\\nas\\builds * /user:STUDIO\\builder
net start MSSQLSERVER
net stop wuauserv
The command completed successfully.
mysql -u root -h db.internal -P 3306 game
mysql -p -u root game
mysqldump --single-transaction -u root game > dump.sql
psql -h db.internal -p 5432 -U app game
pg_isready -p 5432
redis-cli -h cache -p 6379 ping
redis-cli -p 6379 -a $REDIS_PASSWORD ping
mongodump --port 27017 --db game
sqlcmd -S db.internal -E -Q "select 1"
openssl req -new -x509 -key a.pem -passin env:KEY_PASS
openssl version -p
git -p log --oneline
git add -p
git log -p -1
git clone https://github.com/studio/game.git
git push origin HEAD:refs/heads/release/1.0
Machine learning module: login service disabled, password rules unchanged
machine build-07 login failed: password expired
machine build-07 is offline
default login shell is /bin/bash
Password for 'builder' is required
LogOnline: Verbose: login flow finished in 1.25s
LogInit: Command Line: -p4port=perforce:1666 -buildmachine -unattended
LogCook: Display: Cooked packages 1204 Packages Remain 88 Total 1292
UnrealBuildTool : -Mode=Build -Target="Game Win64 Shipping" -p 8
RunUAT.bat BuildCookRun -project=Game.uproject -platform=Win64 -cook -stage -pak -archive
RunUAT.sh BuildGraph -Target="Make Installed Build" -P4 -SharedStorageDir=/mnt/builds
AutomationTool -P4 -Submit -CL=184203
Unity -batchmode -projectPath . -buildTarget Win64 -logFile - -quit
[Package Manager] Done resolving packages in 1.25 seconds
ninja -C out/Release -j 16 -p
cmake --build build -p 8
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
bazel build //game:all --jobs 16 -p
sudo apt-get install -y clang
sudo -S true
sudo -u builder mkdir -p /srv/game
plink -P 22 builder@mac-03 make
pscp -P 22 Game.zip builder@mac-03:
psexec \\\\build-07 -s cmd /c dir
certutil -hashfile Game.exe SHA256
CertUtil: -hashfile command completed successfully.
aws s3 cp Game.zip s3://builds/ --profile nightly
aws configure set region eu-central-1
az login --identity
az acr login --name studio
gh auth login --hostname github.example
gh release upload v1.2.3 Game.zip
helm upgrade game ./chart -p
kubectl port-forward -p game-0 8080:80
kubectl patch deploy game -p '{"spec":{"replicas":2}}'
setx PATH "%PATH%;C:\\SDK\\bin"
setx P4PORT perforce:1666
cmdkey /list
robocopy \\\\nas\\builds D:\\builds /E /R:2 /W:5 /P
xcopy /p /y a.txt b.txt
patch -p 1 < fix.diff
patch -p1 -i fix.diff
perl -p -i -e 's/a/b/' file.txt
protoc -I proto --cpp_out=gen -p game.proto
ffmpeg -i intro.mov -pix_fmt yuv420p -preset slow intro.mp4
Compiling shaders: 128 permutations, -p profile vs_6_6
https://docs.studio.example/ugs/setup/index.html
Engine/Source/Programs/ugs/UnrealGameSync/Program.cs(12): warning CS0168
GET https://goldmaster.example/ugs/api/latest 404
`
  .trim()
  .split('\n')
