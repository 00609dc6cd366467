#!/bin/sh
# AutomationTool with Goldmaster: call uat.sh instead of RunUAT.sh, with the same arguments. ENGINE is the folder of the engine.
exec node ci/goldmaster-run.mjs run --tests 'Saved/Reports/**/index.json' --artifact 'Saved/**/*.pak' -- "${ENGINE:-Engine}/Build/BatchFiles/RunUAT.sh" "$@"
