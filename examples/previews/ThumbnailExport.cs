using System;
using System.IO;
using System.Threading;
using UnityEditor;
using UnityEngine;

/// Writes the previews that the editor shows of prefabs, materials and models as png files at the paths of their assets.
public static class ThumbnailExport
{
    public static void Run()
    {
        var target = Argument("-previews");
        foreach (var guid in AssetDatabase.FindAssets("t:Prefab t:Material t:Model", new[] { Argument("-assets") }))
        {
            var path = AssetDatabase.GUIDToAssetPath(guid);
            var asset = AssetDatabase.LoadMainAssetAtPath(path);
            Texture2D preview = null;
            // The editor renders previews in the background.
            for (var tries = 0; preview == null && tries < 100; tries++)
            {
                preview = AssetPreview.GetAssetPreview(asset);
                if (preview == null) Thread.Sleep(50);
            }
            if (preview == null)
            {
                Debug.LogWarning("No picture of " + path);
                continue;
            }
            var file = Path.Combine(target, Path.ChangeExtension(path, ".png"));
            Directory.CreateDirectory(Path.GetDirectoryName(file));
            File.WriteAllBytes(file, preview.EncodeToPNG());
        }
    }

    private static string Argument(string name)
    {
        var given = Environment.GetCommandLineArgs();
        return given[Array.IndexOf(given, name) + 1];
    }
}
