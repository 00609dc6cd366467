/** Output of the Unity editor when scripts, tests, licenses or the native compiler fail. */

const HEAD = `
~~~ Preparing working directory
$ git fetch -v --prune -- origin {change}
$ git checkout -f {change}
HEAD is now at {change}
~~~ Running commands`

const EDITOR = `${HEAD}
$ unity-editor -batchmode -quit -nographics -projectPath . -buildTarget Android -executeMethod OrchardBuild.Android -logFile -
[Licensing::Client] Successfully resolved entitlement details
Initialize engine version: 6000.0.23f1
[Package Manager] Done resolving packages in 1.18 seconds
Refreshing native plugins compatible for Editor in 24.08 ms, found 4 plugins.
DisplayProgressbar: Compiling Scripts`

const ABORTED = `
Aborting batchmode due to failure:
Scripts have compiler errors.

Exiting without the bug reporter. Application will terminate with return code 1
🚨 Error: The command exited with status 1
^^^ +++
user command error: The plugin docker command hook exited with status 1`

export const missingType = `${EDITOR}
[1146/1180  0s] Csc Library/Bee/artifacts/1900b0aE.dag/Orchard.Features.dll (+2 others)
##### ExitCode
1
##### Output
Assets/Scripts/Features/SeedTradingService.cs(14,26): error CS0246: The type or namespace name 'TradeLedger' could not be found (are you missing a using directive or an assembly reference?)
Assets/Scripts/Features/SeedTradingService.cs(31,16): error CS0246: The type or namespace name 'TradeLedger' could not be found (are you missing a using directive or an assembly reference?)
*** Tundra build failed (9.71 seconds), 8 items updated, 1180 evaluated${ABORTED}`

export const missingMember = `${EDITOR}
[1152/1180  0s] Csc Library/Bee/artifacts/1900b0aE.dag/Orchard.UI.dll (+2 others)
Assets/Scripts/UI/AlmanacScreen.cs(88,31): error CS1061: 'CropData' does not contain a definition for 'SeasonBonus' and no accessible extension method 'SeasonBonus' accepting a first argument of type 'CropData' could be found (are you missing a using directive or an assembly reference?)
*** Tundra build failed (11.06 seconds), 6 items updated, 1180 evaluated${ABORTED}`

export const noLicence = `${HEAD}
$ unity-editor -batchmode -quit -nographics -projectPath . -buildTarget iOS -executeMethod OrchardBuild.Ios -logFile -
[Licensing::Module] Trying to connect to existing licensing client channel...
[Licensing::Client] Error: Code 400 while processing request (status: Activation limit reached: all seats are in use)
[Licensing::Module] Error: Access token is unavailable; failed to update
No valid Unity Editor license found. Please activate your license.
Exiting without the bug reporter. Application will terminate with return code 1
🚨 Error: The command exited with status 1
user command error: exit status 1`

export const nativeCompiler = `${EDITOR}
*** Tundra build success (18.42 seconds), 214 items updated, 1180 evaluated
DisplayProgressbar: Building Player
[ 812/1406  3s] IL2CPP_CodeGen Library/Bee/artifacts/Android/il2cppOutput/cpp (+312 others)
[1391/1406  2s] C_Android_arm64 Library/Bee/artifacts/Android/d8kzr/h41n_PhotoBooth.o
Building Library/Bee/artifacts/Android/d8kzr/h41n_PhotoBooth.o failed with output:
Assets/Plugins/PhotoBooth/PhotoBooth.cpp:37:9: error: use of undeclared identifier 'AImageDecoder_setTargetSize'
        AImageDecoder_setTargetSize(decoder, width, height);
        ^
1 error generated.
*** Tundra build failed (171.22 seconds), 604 items updated, 1406 evaluated
Error building Player: 1 error
BuildFailedException: Player build failed: Building Library/Bee/artifacts/Android/d8kzr/h41n_PhotoBooth.o failed with output
Exiting without the bug reporter. Application will terminate with return code 1
🚨 Error: The command exited with status 1
user command error: exit status 1`

export const failedTest = `${HEAD}
$ unity-editor -batchmode -projectPath . -runTests -testPlatform EditMode -testResults results.xml -logFile -
Initialize engine version: 6000.0.23f1
Running tests for EditMode
Executing IEnumerable tests
HarvestStreaksTests.StreakSurvivesTheClockChange (0.031s)
  Failed: Orchard.Tests.HarvestStreaksTests.StreakSurvivesTheClockChange
  Expected: 7
  But was:  1
  at Orchard.Tests.HarvestStreaksTests.StreakSurvivesTheClockChange () [0x0004a] in /workdir/Assets/Tests/EditMode/HarvestStreaksTests.cs:64
total=312 passed=311 failed=1 inconclusive=0 skipped=0
Test run completed. Exiting with code 2 (Failed). One or more tests failed.
🚨 Error: The command exited with status 2
user command error: exit status 2`
