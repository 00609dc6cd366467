#!/bin/sh
# UnrealBuildTool with Goldmaster: call build.sh instead of Build.sh, with the same arguments. ENGINE is the folder of the engine.
case $(uname) in Darwin) host=Mac ;; *) host=Linux ;; esac
exec node ci/goldmaster-run.mjs run --engine unreal --artifact 'Binaries/**/Game*' -- "${ENGINE:-Engine}/Build/BatchFiles/$host/Build.sh" "$@"
