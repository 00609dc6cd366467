import type { Job } from '../game.ts'
import { MAIN, RELEASE } from './streams.ts'

const SYNC = `
Started by an SCM change
Running on build-win-02 in D:\\j\\ws\\{job}
[Pipeline] stage (Sync)
P4 Task: syncing files at change: {change}
... p4 sync {branch}/...@{change}
... totalFileCount 214
P4 Task: syncing complete.`

/** What `UnrealPak -List` prints. */
const SIZES = `
LogPakFile: Display: Mount point ../../../
LogPakFile: Display: "CinderCoast/Content/Maps/NorthPier/L_NorthPier.umap" offset: 0, size: 1486119640 bytes, sha1: 7B1C0A5E44F1D2B90F6A3E7C8D5512AA90E3F4C6.
LogPakFile: Display: "CinderCoast/Content/Audio/Music/MX_TideSuite.uasset" offset: 1486119640, size: {soundtrack} bytes, sha1: 0D9E2B7F61C84A35E2F1907BC6D4A8135E7F2C9B.
LogPakFile: Display: "CinderCoast/Content/Environment/Props/BellBuoy/SM_BellBuoy.uasset" offset: 3301884104, size: 214958080 bytes, sha1: E4C15A7790B3D286F1A0C9473D5B8E620F7A19C4.
LogPakFile: Display: "CinderCoast/Content/Characters/Ferryman/SK_Ferryman.uasset" offset: 3516842184, size: 98566144 bytes, sha1: 51F08C3BA6D94E27B05A7CF3196E82D4A0C37B5F.`

const DONE = `
Archiving artifacts
Finished: SUCCESS`

export const jobs: readonly Job[] = [
  {
    name: 'cinder-editor-win64',
    target: 'development',
    branch: MAIN,
    minutes: [14, 23],
    when: 'change',
    phases: ['sync', 'compile', 'archive'],
    log: `${SYNC}
[Pipeline] stage (Compile)
Building CinderCoastEditor...
Using Visual Studio 2022 14.38.33130 toolchain and Windows 10.0.22621.0 SDK
Determining max actions to execute in parallel (16 physical cores, 32 logical cores)
[1/6] Compile [x64] Module.CinderCoast.1.cpp
[2/6] Compile [x64] Module.CinderCoast.2.cpp
[3/6] Compile [x64] Module.CinderCoastTests.cpp
[4/6] Link [x64] UnrealEditor-CinderCoast.dll
[5/6] Link [x64] UnrealEditor-CinderCoastTests.dll
[6/6] WriteMetadata CinderCoastEditor.target
Result: Succeeded
Total execution time: {minutes} minutes${DONE}`,
    artifacts: [['CinderCoastEditor-Win64-{number}.zip', 812]],
  },
  {
    name: 'cinder-cook-win64',
    target: 'development',
    branch: MAIN,
    minutes: [38, 56],
    when: 'change',
    phases: ['sync', 'compile', 'cook', 'stage', 'package'],
    log: `${SYNC}
[Pipeline] stage (Cook)
********** COOK COMMAND STARTED **********
LogCook: Display: Cooked packages 1200 Packages Remain 4861 Total 6061
LogCook: Display: Cooked packages 3900 Packages Remain 2240 Total 6140
LogCook: Display: Cooked packages 6188 Packages Remain 0 Total 6188
LogCook: Display: Cook by the book total time in tick 1710.42s total time 1744.09s.
LogInit: Display: Success - 0 error(s), 14 warning(s)
********** COOK COMMAND COMPLETED **********
********** STAGE COMMAND COMPLETED **********
BUILD SUCCESSFUL
AutomationTool exiting with ExitCode=0 (Success)${DONE}`,
    artifacts: [['CinderCoast-Win64-Development-{number}.zip', 9_640]],
  },
  {
    name: 'cinder-functional-tests',
    target: 'test',
    branch: MAIN,
    minutes: [21, 34],
    when: 'change',
    phases: ['sync', 'compile', 'test'],
    log: `${SYNC}
[Pipeline] stage (Test)
LogAutomationCommandLine: Display: Found 148 automation tests based on 'CinderCoast'
LogAutomationController: Display: Test Completed. Result={Success} Name={Late join keeps the oxygen meter} Path={CinderCoast.Gameplay.OxygenMeter.LateJoin}
LogAutomationController: Display: Test Completed. Result={Success} Name={Parry opens and closes} Path={CinderCoast.Combat.ParryWindow}
LogAutomationCommandLine: Display: ...Automation Test Queue Empty 148 tests performed.
**** TEST COMPLETE. EXIT CODE: 0 ****${DONE}`,
    artifacts: [['automation-report-{number}.zip', 6]],
  },
  {
    name: 'cinder-server-linux-debug',
    target: 'debug',
    branch: MAIN,
    minutes: [17, 26],
    when: 'change',
    phases: ['sync', 'compile', 'archive'],
    log: `${SYNC}
Building CinderCoastServer...
Using Clang 16.0.6 cross toolchain v22
[11/11] Link (lld) CinderCoastServer-Linux-Debug
Result: Succeeded
Total execution time: {minutes} minutes${DONE}`,
    artifacts: [['CinderCoastServer-Linux-Debug-{number}.tar.gz', 644]],
  },
  {
    name: 'cinder-nightly-shipping',
    target: 'shipping',
    branch: RELEASE,
    minutes: [86, 112],
    when: 'night',
    phases: ['sync', 'compile', 'cook', 'stage', 'package', 'archive'],
    log: `${SYNC}
********** BUILD COMMAND COMPLETED **********
LogCook: Display: Cooked packages 6188 Packages Remain 0 Total 6188
LogInit: Display: Success - 0 error(s), 14 warning(s)
********** STAGE COMMAND COMPLETED **********
********** PACKAGE COMMAND COMPLETED **********
********** ARCHIVE COMMAND COMPLETED **********
BUILD SUCCESSFUL
AutomationTool executed for {minutes} minutes
AutomationTool exiting with ExitCode=0 (Success)${SIZES}${DONE}`,
    artifacts: [
      ['CinderCoast-Win64-Shipping-{number}.zip', 7_310],
      ['CinderCoast-Win64-Shipping-symbols-{number}.zip', 1_180],
    ],
  },
]
