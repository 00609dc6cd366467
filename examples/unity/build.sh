#!/bin/sh
# Builds with Unity and reports it. UNITY is the path of the editor; the log goes to standard output, so that it is seen while the build runs.
exec node ci/goldmaster-run.mjs run --tests 'TestResults/*.xml' --artifact 'Builds/**' -- "${UNITY:-Unity}" -batchmode -quit -projectPath . -executeMethod GoldmasterBuild.All -logFile - "$@"
