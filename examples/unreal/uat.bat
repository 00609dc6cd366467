@rem AutomationTool with Goldmaster: call uat.bat instead of RunUAT.bat, with the same arguments. ENGINE is the folder of the engine.
@if not defined ENGINE set ENGINE=Engine
@node ci\goldmaster-run.mjs run --tests "Saved\Reports\**\index.json" --artifact "Saved\**\*.pak" -- "%ENGINE%\Build\BatchFiles\RunUAT.bat" %*
