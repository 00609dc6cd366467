/** Failing tests, a workspace that does not sync, an agent that disconnects, a broken graphics card. */

export const failedTest = String.raw`
Started by an SCM change
Running on build-win-01 in D:\j\ws\{job}
P4 Task: syncing files at change: {change}
P4 Task: syncing complete.
[Pipeline] stage (Test)
Running: D:\j\ws\{job}\Engine\Binaries\Win64\UnrealEditor-Cmd.exe D:\j\ws\{job}\CinderCoast.uproject -ExecCmds="Automation RunTests CinderCoast; Quit" -unattended -nullrhi -stdout
LogAutomationCommandLine: Display: Found 148 automation tests based on 'CinderCoast'
LogAutomationController: Display: Test Started. Name={Late join keeps the oxygen meter} Path={CinderCoast.Gameplay.OxygenMeter.LateJoin}
LogAutomationController: Display: Test Completed. Result={Success} Name={Late join keeps the oxygen meter} Path={CinderCoast.Gameplay.OxygenMeter.LateJoin}
LogAutomationController: Display: Test Started. Name={Parry opens and closes} Path={CinderCoast.Combat.ParryWindow}
LogAutomationController: Error: Test Completed. Result={Fail} Name={Parry opens and closes} Path={CinderCoast.Combat.ParryWindow}
LogAutomationController: BeginEvents: CinderCoast.Combat.ParryWindow
LogAutomationController: Error: Expected 'Parry window closes after 0.18 s' to be 0.180000, but it was 0.240000. [D:\j\ws\{job}\Source\CinderCoastTests\Private\ParryWindowTest.cpp(52)]
LogAutomationController: EndEvents: CinderCoast.Combat.ParryWindow
LogAutomationCommandLine: Display: ...Automation Test Queue Empty 148 tests performed.
LogAutomationCommandLine: Error: 1 of 148 tests failed.
**** TEST COMPLETE. EXIT CODE: -1 ****
ERROR: script returned exit code -1
Finished: FAILURE`

export const clobber = String.raw`
Started by an SCM change
Running on build-win-04 in D:\j\ws\{job}
[Pipeline] stage (Sync)
P4 Task: establishing connection.
... server: perforce.ninthteapot.example:1666
... node: build-win-04
P4 Task: syncing files at change: {change}
... p4 sync -q //cinder/main/...@{change}
P4: Unable to sync workspace. Error(s):
Can't clobber writable file D:\j\ws\{job}\Config\DefaultGame.ini
ERROR: P4: Task Exception: hudson.AbortException: P4JAVA: Error(s):
Can't clobber writable file D:\j\ws\{job}\Config\DefaultGame.ini
	at org.jenkinsci.plugins.p4.tasks.AbstractTask.tryTask(AbstractTask.java:161)
	at org.jenkinsci.plugins.p4.tasks.CheckoutTask.invoke(CheckoutTask.java:211)
ERROR: Unable to update workspace: D:\j\ws\{job}
Finished: FAILURE`

export const lostAgent = String.raw`
Started by timer
Running on build-win-03 in E:\j\ws\{job}
P4 Task: syncing files at change: {change}
P4 Task: syncing complete.
********** COOK COMMAND STARTED **********
LogCook: Display: Cooked packages 900 Packages Remain 5240 Total 6140
LogCook: Display: Cooked packages 2700 Packages Remain 3440 Total 6140
Cannot contact build-win-03: hudson.remoting.ChannelClosedException: Channel "hudson.remoting.Channel@5d1f0c2e:build-win-03": Remote call on build-win-03 failed. The channel is closing down or has closed down
FATAL: command execution failed
java.nio.channels.ClosedChannelException
	at org.jenkinsci.remoting.protocol.NetworkLayer.onRecvClosed(NetworkLayer.java:142)
Caused: java.io.IOException: Backing channel 'build-win-03' is disconnected.
	at hudson.remoting.RemoteInvocationHandler.channelOrFail(RemoteInvocationHandler.java:227)
ERROR: Issue with creating launcher for agent build-win-03. The agent is being disconnected
Finished: FAILURE`

/** Rejoining depends on which of two clients connects first. */
export const flickering = `
Started by an SCM change
Running on build-linux-01 in /j/ws/{job}
P4 Task: syncing files at change: {change}
P4 Task: syncing complete.
[11/11] Link (lld) CinderCoastServer-Linux-Debug
[ RUN      ] TideClock.SurvivesRejoin
Source/CinderCoastTests/Private/TideClockTest.cpp:88: Failure
Expected equality of these values:
  Clock.Phase()
    Which is: 3
  4
[  FAILED  ] TideClock.SurvivesRejoin (1204 ms)
1 FAILED TEST
ERROR: script returned exit code 1
Finished: FAILURE`

export const deviceRemoved = String.raw`
Started by an SCM change
Running on build-win-07 in D:\j\ws\{job}
P4 Task: syncing files at change: {change}
P4 Task: syncing complete.
[Pipeline] stage (Test)
LogAutomationCommandLine: Display: Found 148 automation tests based on 'CinderCoast'
LogAutomationController: Display: Test Started. Name={Fog matches the reference} Path={CinderCoast.Rendering.Fog}
LogD3D12RHI: Error: GPU crash detected:
- Device 0 Removed: DXGI_ERROR_DEVICE_HUNG
LogD3D12RHI: Error: Removed device: NodeMask 0x1, reason 0x887A0006
LogWindows: Error: === Critical error: ===
LogWindows: Error: GPU Crash dump Triggered
LogExit: Executing StaticShutdownAfterError
ERROR: script returned exit code 3
Finished: FAILURE`
