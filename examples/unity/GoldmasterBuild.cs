// Put it into Assets/Editor. Started by -executeMethod GoldmasterBuild.All. Not compiled by us.
using System.Linq;
using UnityEditor;
using UnityEditor.Build.Reporting;
using UnityEngine;

public static class GoldmasterBuild
{
    public static void All()
    {
        var report = BuildPipeline.BuildPlayer(new BuildPlayerOptions
        {
            scenes = EditorBuildSettings.scenes.Where(scene => scene.enabled).Select(scene => scene.path).ToArray(),
            target = EditorUserBuildSettings.activeBuildTarget,
            locationPathName = "Builds/Game",
        });
        // Goldmaster reads measures from the log of a passed build.
        Debug.Log($"##goldmaster[measure name=player_size unit=bytes value={report.summary.totalSize}]");
        if (report.summary.result != BuildResult.Succeeded) EditorApplication.Exit(1);
    }
}
