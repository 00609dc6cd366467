import type { Job } from '../game.ts'

const HEAD = `
~~~ Preparing working directory
$ git fetch -v --prune -- origin {change}
$ git checkout -f {change}
HEAD is now at {change}
~~~ Running commands`

const unity = (target: string, method: string) => `${HEAD}
$ unity-editor -batchmode -quit -projectPath . -buildTarget ${target} -executeMethod ${method} -logFile -
[Licensing::Client] Successfully resolved entitlement details
Initialize engine version: 6000.0.23f1
Refreshing native plugins compatible for Editor in 24.08 ms, found 4 plugins.
DisplayProgressbar: Compiling Scripts
*** Tundra build success (18.42 seconds), 214 items updated, 1180 evaluated
Opening scene 'Assets/Scenes/Hilltop.unity'
Build completed with a result of 'Succeeded' in {minutes} minutes
Exiting batchmode successfully now!
~~~ Uploading artifacts`

export const jobs: readonly Job[] = [
  {
    name: 'orchard-tests',
    target: 'test',
    branch: 'main',
    minutes: [6, 10],
    when: 'change',
    phases: ['checkout', 'import', 'test'],
    log: `${HEAD}
$ unity-editor -batchmode -projectPath . -runTests -testPlatform EditMode -testResults results.xml -logFile -
Initialize engine version: 6000.0.23f1
Running tests for EditMode
Test run completed. Exiting with code 0 (Ok). Run completed.
total=312 passed=312 failed=0 inconclusive=0 skipped=0`,
    artifacts: [['results-{number}.xml', 1]],
  },
  {
    name: 'orchard-android',
    target: 'development',
    branch: 'main',
    minutes: [18, 27],
    when: 'change',
    phases: ['checkout', 'import', 'scripts', 'player', 'gradle', 'upload'],
    log: unity('Android', 'OrchardBuild.Android'),
    artifacts: [['orchard-parade-dev-{number}.apk', 188]],
  },
  {
    name: 'orchard-ios',
    target: 'development',
    branch: 'main',
    minutes: [22, 34],
    when: 'change',
    phases: ['checkout', 'import', 'scripts', 'player', 'xcode', 'upload'],
    log: `${unity('iOS', 'OrchardBuild.Ios')}
** ARCHIVE SUCCEEDED **
** EXPORT SUCCEEDED **`,
    artifacts: [['orchard-parade-dev-{number}.ipa', 204]],
  },
  {
    name: 'orchard-release-android',
    target: 'shipping',
    branch: 'release/1.9',
    minutes: [31, 44],
    when: 'night',
    phases: ['checkout', 'import', 'scripts', 'il2cpp', 'gradle', 'upload'],
    log: unity('Android', 'OrchardBuild.AndroidRelease'),
    artifacts: [
      ['orchard-parade-{number}.aab', 142],
      ['orchard-parade-symbols-{number}.zip', 96],
    ],
  },
  {
    name: 'orchard-release-ios',
    target: 'shipping',
    branch: 'release/1.9',
    minutes: [34, 48],
    when: 'night',
    phases: ['checkout', 'import', 'scripts', 'il2cpp', 'xcode', 'upload'],
    log: `${unity('iOS', 'OrchardBuild.IosRelease')}
** ARCHIVE SUCCEEDED **
** EXPORT SUCCEEDED **`,
    artifacts: [['orchard-parade-{number}.ipa', 161]],
  },
]
