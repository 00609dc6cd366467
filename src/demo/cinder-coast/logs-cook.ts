/** Output of cooking and packaging: content that does not load, shaders that do not compile, a full disk. */

const HEAD = String.raw`
Started by an SCM change
Running on build-win-03 in E:\j\ws\{job}
P4 Task: syncing files at change: {change}
... p4 sync //cinder/main/...@{change}
P4 Task: syncing complete.
[Pipeline] stage (Cook)
E:\j\ws\{job}>Engine\Build\BatchFiles\RunUAT.bat BuildCookRun -project=E:\j\ws\{job}\CinderCoast.uproject -platform=Win64 -clientconfig=Development -cook -stage -pak -package -unattended -nop4
Running AutomationTool...
Parsing command line: BuildCookRun -project=E:\j\ws\{job}\CinderCoast.uproject -platform=Win64 -cook -stage -pak -package -unattended -nop4
********** COOK COMMAND STARTED **********
Running: E:\j\ws\{job}\Engine\Binaries\Win64\UnrealEditor-Cmd.exe E:\j\ws\{job}\CinderCoast.uproject -run=Cook -TargetPlatform=Windows -unversioned -stdout -CrashForUAT -unattended -NoLogTimes
LogInit: Display: Running engine for game: CinderCoast
LogCook: Display: CookSettings for Memory: MemoryMaxUsedVirtual 0MiB, MemoryMaxUsedPhysical 0MiB
LogCook: Display: Cooked packages 0 Packages Remain 412 Total 412`

const FAILED = String.raw`
Took 1122.61s to run UnrealEditor-Cmd.exe, ExitCode=1
Cook failed.
(see E:\j\ws\{job}\Engine\Programs\AutomationTool\Saved\Logs\Log.txt for full exception trace)
AutomationTool executed for 0h 19m 12s
AutomationTool exiting with ExitCode=25 (Error_UnknownCookFailure)
BUILD FAILED
ERROR: script returned exit code 25
Finished: FAILURE`

export const missingReference = String.raw`${HEAD}
LogCook: Display: Cooked packages 1200 Packages Remain 4861 Total 6061
LogLinker: Warning: [AssetLog] E:\j\ws\{job}\Content\Maps\NorthPier\L_NorthPier.umap: VerifyImport: Failed to find script package for import object 'Package /Script/TideSplines'
LogStreaming: Error: Couldn't find file for package /Game/Environment/Props/BellBuoy/MI_BellBuoy_Wet requested by async loading code. NameToLoad: /Game/Environment/Props/BellBuoy/MI_BellBuoy_Wet
LogCook: Error: Content is missing from cook. Source package referenced an object in target package but the target package was marked NeverCook or is not cookable for the target platform.
    Source package: /Game/Environment/Props/BellBuoy/SM_BellBuoy
    Target package: /Game/Environment/Props/BellBuoy/MI_BellBuoy_Wet
LogCook: Display: Cooked packages 6140 Packages Remain 0 Total 6140
LogInit: Display: Warning/Error Summary (Unique only)
LogInit: Display: Failure - 2 error(s), 17 warning(s)${FAILED}`

export const brokenShader = String.raw`${HEAD}
LogShaderCompilers: Display: Started 14 shader compile worker processes
LogCook: Display: Cooked packages 900 Packages Remain 5240 Total 6140
LogShaderCompilers: Error: Failed to compile Material /Game/Materials/M_WetSand.M_WetSand (MI:/Game/Materials/M_WetSand.M_WetSand) for platform PCD3D_SM6, Default Material will be used in game.
/Project/Private/WetSand.usf(64,22-41): Shader FWetSandPS, Permutation 2, VF FLocalVertexFactory:
	/Project/Private/WetSand.usf(64,22-41): error X3004: undeclared identifier 'TideLineMask'
LogMaterial: Error: [AssetLog] E:\j\ws\{job}\Content\Materials\M_WetSand.uasset: Failed to compile Material for platform PCD3D_SM6
LogInit: Display: Failure - 2 error(s), 9 warning(s)${FAILED}`

export const brokenBlueprint = String.raw`${HEAD}
LogCook: Display: Cooked packages 2700 Packages Remain 3391 Total 6091
LogBlueprint: Error: [AssetLog] E:\j\ws\{job}\Content\Characters\Ferryman\ABP_Ferryman.uasset: [Compiler] Could not find a variable named "bIsRowing" in ABP_Ferryman_C. Make sure 'bIsRowing' has been compiled for ABP_Ferryman_C
LogBlueprint: Error: [AssetLog] E:\j\ws\{job}\Content\Characters\Ferryman\ABP_Ferryman.uasset: [Compiler] This blueprint (self) is not a FerrymanAnimInstance, therefore ' Target ' must have a connection.
LogCook: Display: Cooked packages 6091 Packages Remain 0 Total 6091
LogInit: Display: Failure - 2 error(s), 12 warning(s)${FAILED}`

export const fullDisk = String.raw`${HEAD}
LogCook: Display: Cooked packages 6188 Packages Remain 0 Total 6188
LogInit: Display: Success - 0 error(s), 14 warning(s)
********** COOK COMMAND COMPLETED **********
********** STAGE COMMAND STARTED **********
Creating Staging Manifest...
LogPakFile: Display: Loading response file E:\j\ws\{job}\Saved\StagedBuilds\pakchunk0-Windows.txt
LogPakFile: Display: Added 21874 entries to add to pak file.
LogPakFile: Error: Failed to write to E:\j\ws\{job}\Saved\StagedBuilds\Windows\CinderCoast\Content\Paks\pakchunk0-Windows.ucas
System.IO.IOException: There is not enough space on the disk. : 'E:\j\ws\{job}\Saved\StagedBuilds\Windows\CinderCoast\Content\Paks\pakchunk0-Windows.ucas'
   at System.IO.RandomAccess.WriteAtOffset(SafeFileHandle handle, ReadOnlySpan'1 buffer, Int64 fileOffset)
AutomationTool executed for 1h 2m 40s
AutomationTool exiting with ExitCode=1 (Error_Unknown)
BUILD FAILED
ERROR: script returned exit code 1
Finished: FAILURE`
