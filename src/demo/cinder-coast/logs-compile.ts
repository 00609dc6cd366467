/** Output of the compiler, the linker and the build tool when a change breaks them. */

const HEAD = String.raw`
Started by an SCM change
Running on build-win-02 in D:\j\ws\{job}
[Pipeline] stage (Sync)
P4 Task: syncing files at change: {change}
... p4 sync //cinder/main/...@{change}
... totalFileCount 31
P4 Task: syncing complete.
[Pipeline] stage (Compile)
[Pipeline] bat
D:\j\ws\{job}>Engine\Build\BatchFiles\Build.bat CinderCoastEditor Win64 Development -Project="D:\j\ws\{job}\CinderCoast.uproject" -WaitMutex -FromMsBuild
Using bundled DotNet SDK version: 8.0.300
Running UnrealBuildTool: dotnet "..\..\Engine\Binaries\DotNET\UnrealBuildTool\UnrealBuildTool.dll" CinderCoastEditor Win64 Development -WaitMutex -FromMsBuild
Log file: D:\j\ws\{job}\Engine\Programs\UnrealBuildTool\Log.txt`

const COMPILING = String.raw`
Building CinderCoastEditor...
Using Visual Studio 2022 14.38.33130 toolchain (D:\VS\VC\Tools\MSVC\14.38.33130) and Windows 10.0.22621.0 SDK (C:\Program Files (x86)\Windows Kits\10).
[Adaptive Build] Excluded from CinderCoast unity file: OxygenMeterComponent.cpp, TideCycleComponent.cpp
Determining max actions to execute in parallel (16 physical cores, 32 logical cores)
  Executing up to 16 processes, one per physical core
------ Building 9 action(s) started ------`

const FAILED = `
[Pipeline] }
[Pipeline] // stage
[Pipeline] End of Pipeline
ERROR: script returned exit code 6
Finished: FAILURE`

export const undeclared = String.raw`${HEAD}${COMPILING}
[1/9] Compile [x64] SharedPCH.UnrealEd.Project.ValApi.Cpp20.cpp
[2/9] Compile [x64] OxygenMeterComponent.cpp
D:\j\ws\{job}\Source\CinderCoast\Gameplay\OxygenMeterComponent.cpp(118): error C2065: 'DepthPressureScale': undeclared identifier
D:\j\ws\{job}\Source\CinderCoast\Gameplay\OxygenMeterComponent.cpp(121): error C2065: 'DepthPressureScale': undeclared identifier
[3/9] Compile [x64] TideCycleComponent.cpp
[4/9] Compile [x64] Module.CinderCoast.2.cpp

Total time in Parallel executor: 61.40 seconds
Total execution time: 74.18 seconds

Result: Failed (OtherCompilationError)${FAILED}`

export const unresolved = String.raw`${HEAD}${COMPILING}
[1/9] Compile [x64] GrappleHookComponent.cpp
[2/9] Compile [x64] Module.CinderCoast.1.cpp
[3/9] Compile [x64] Module.CinderCoast.gen.cpp
[4/9] Link [x64] UnrealEditor-CinderCoast.lib
   Creating library D:\j\ws\{job}\Intermediate\Build\Win64\x64\UnrealEditor\Development\CinderCoast\UnrealEditor-CinderCoast.sup.lib
[5/9] Link [x64] UnrealEditor-CinderCoast.dll
GrappleHookComponent.cpp.obj : error LNK2019: unresolved external symbol "public: void __cdecl URopeSimulation::AttachTo(class AActor *,struct FVector const &)" (?AttachTo@URopeSimulation@@QEAAXPEAVAActor@@AEBUFVector@@@Z) referenced in function "public: void __cdecl UGrappleHookComponent::Fire(void)" (?Fire@UGrappleHookComponent@@QEAAXXZ)
D:\j\ws\{job}\Binaries\Win64\UnrealEditor-CinderCoast.dll : fatal error LNK1120: 1 unresolved externals

Total execution time: 203.55 seconds

Result: Failed (OtherCompilationError)${FAILED}`

export const missingHeader = String.raw`${HEAD}${COMPILING}
[1/9] Compile [x64] CoOpLobbyWidget.cpp
D:\j\ws\{job}\Source\CinderCoast\UI\CoOpLobbyWidget.cpp(9): fatal error C1083: Cannot open include file: 'Online/LobbySessionTypes.h': No such file or directory
[2/9] Compile [x64] SeaChartWidget.cpp
[3/9] Compile [x64] Module.CinderCoast.3.cpp

Total time in Parallel executor: 48.02 seconds
Total execution time: 59.71 seconds

Result: Failed (OtherCompilationError)${FAILED}`

export const missingModule = `${HEAD}
Creating makefile for CinderCoastEditor (no existing makefile)
Could not find definition for module 'TideAudioRuntime', (referenced via Target -> CinderCoast.Build.cs)

Result: Failed (RulesError)
Total execution time: 4.12 seconds${FAILED}`
