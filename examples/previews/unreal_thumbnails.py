"""Copies the source pictures of textures below a content folder, as png files at the paths of their assets.

UnrealEditor-Cmd Game.uproject -run=pythonscript -script="unreal_thumbnails.py Saved/Previews /Game/Art"
"""
import os
import sys

import unreal

target, root = sys.argv[1], sys.argv[2]
registry = unreal.AssetRegistryHelpers.get_asset_registry()
for data in registry.get_assets_by_path(root, recursive=True):
    asset = data.get_asset()
    if not isinstance(asset, unreal.Texture2D):
        continue
    path = str(data.package_name).replace("/Game/", "", 1) + ".png"
    task = unreal.AssetExportTask()
    task.object = asset
    task.filename = os.path.join(target, path)
    task.automated = True
    task.replace_identical = True
    task.exporter = unreal.TextureExporterPNG()
    os.makedirs(os.path.dirname(task.filename), exist_ok=True)
    if not unreal.Exporter.run_asset_export_task(task):
        unreal.log_warning("No picture of " + path)
