@rem UnrealBuildTool with Goldmaster: call build.bat instead of Build.bat, with the same arguments. ENGINE is the folder of the engine.
@if not defined ENGINE set ENGINE=Engine
@node ci\goldmaster-run.mjs run --engine unreal --artifact "Binaries\**\*.exe" -- "%ENGINE%\Build\BatchFiles\Build.bat" %*
