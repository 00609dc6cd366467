/** The steps after Unity: Gradle for Android, Xcode for iOS. */

const HEAD = `
~~~ Preparing working directory
$ git checkout -f {change}
HEAD is now at {change}
~~~ Running commands
$ unity-editor -batchmode -quit -nographics -projectPath . -executeMethod OrchardBuild.Release -logFile -
Initialize engine version: 6000.0.23f1
*** Tundra build success (201.87 seconds), 1406 items updated, 1406 evaluated`

const GRADLE_FAILED = `
* Try:
> Run with --stacktrace option to get the stack trace.
> Run with --info or --debug option to get more log output.
> Get more help at https://help.gradle.org.

BUILD FAILED in 2m 48s
Error building Player: BuildFailedException: Gradle build failed. See the Console for details.
🚨 Error: The command exited with status 1
user command error: exit status 1`

export const missingPackage = `${HEAD}
Starting a Gradle Daemon, 1 incompatible Daemon could not be reused, use --status for details
> Configure project :launcher
> Task :unityLibrary:preBuild UP-TO-DATE

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':launcher:checkReleaseAarMetadata'.
> Could not resolve all files for configuration ':launcher:releaseRuntimeClasspath'.
   > Could not find example.ninthteapot:consent-dialog:2.4.1.
     Searched in the following locations:
       - https://maven.ninthteapot.example/releases/example/ninthteapot/consent-dialog/2.4.1/consent-dialog-2.4.1.pom
     Required by:
         project :launcher > project :unityLibrary${GRADLE_FAILED}`

export const outOfMemory = `${HEAD}
> Task :unityLibrary:bundleLibRuntimeToJarRelease
> Task :launcher:mergeReleaseResources
> Task :launcher:minifyReleaseWithR8 FAILED
ERROR: R8: java.lang.OutOfMemoryError: Java heap space

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':launcher:minifyReleaseWithR8'.
> Java heap space${GRADLE_FAILED}`

export const noProfile = `${HEAD}
$ xcodebuild -project build/ios/Unity-iPhone.xcodeproj -scheme Unity-iPhone -configuration Release -archivePath build/orchard.xcarchive archive
Command line invocation:
    /Applications/Xcode.app/Contents/Developer/usr/bin/xcodebuild -project build/ios/Unity-iPhone.xcodeproj -scheme Unity-iPhone archive
note: Using codesigning identity override: Apple Distribution
/workdir/build/ios/Unity-iPhone.xcodeproj: error: No profiles for 'example.ninthteapot.orchardparade' were found: Xcode couldn't find any iOS App Store provisioning profiles matching 'example.ninthteapot.orchardparade'. Automatic signing is disabled and unable to generate a profile. To enable automatic signing, pass -allowProvisioningUpdates to xcodebuild. (in target 'Unity-iPhone' from project 'Unity-iPhone')
** ARCHIVE FAILED **

The following build commands failed:
	Archiving project Unity-iPhone with scheme Unity-iPhone
(1 failure)
🚨 Error: The command exited with status 65
user command error: exit status 65`
