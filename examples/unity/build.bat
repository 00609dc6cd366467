@rem Builds with Unity and reports it. UNITY is the path of the editor; the log goes to standard output, so that it is seen while the build runs.
@if not defined UNITY set UNITY=Unity
@node ci\goldmaster-run.mjs run --tests "TestResults\*.xml" --artifact "Builds\**" -- "%UNITY%" -batchmode -quit -projectPath . -executeMethod GoldmasterBuild.All -logFile - %*
