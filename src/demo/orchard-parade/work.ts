import type { Area } from '../game.ts'
import { area, series } from '../work.ts'

export const areas: readonly Area[] = [
  area(
    ['moon pear', 'striped plum', 'honey melon', 'thorn berry', 'paper lemon', 'frost apple', 'winter cabbage'],
    `
pia   | art: growth stages of the {thing}                              | +Assets/Art/Crops/{Name}/{name}_stages.png +Assets/Art/Crops/{Name}/{name}_stages.png.meta
nadia | feat(crops): the {thing} grows in {n} stages                   | +Assets/Prefabs/Crops/{Name}.prefab +Assets/Data/Crops/{name}.json
pia   | art: harvest animation of the {thing}                          | +Assets/Art/Crops/{Name}/{name}_harvest.anim Assets/Prefabs/Crops/{Name}.prefab
june  | balance: the {thing} sells for {n} coins more in autumn        | Assets/Data/Crops/{name}.json`,
  ),
  area(
    ['tractor float', 'beehive float', 'teapot float', 'scarecrow float', 'pumpkin coach'],
    `
teo     | art: model of the {thing}                                | +Assets/Art/Floats/{Name}/{name}.fbx +Assets/Art/Floats/{Name}/{name}.mat
pia     | art: paint the {thing}                                   | +Assets/Art/Floats/{Name}/{name}_albedo.png Assets/Art/Floats/{Name}/{name}.mat
teo     | feat(parade): the {thing} joins the parade               | +Assets/Prefabs/Floats/{Name}.prefab Assets/Data/parade-order.json
pia teo | art: confetti and idle sway for the {thing}              | +Assets/Art/Floats/{Name}/{name}_sway.anim Assets/Prefabs/Floats/{Name}.prefab`,
  ),
  area(
    ['daily quests', 'seed trading', 'weather forecast', 'photo booth', 'friend visits', 'harvest streaks'],
    `
nadia | feat: {thing}, behind a flag                                   | +Assets/Scripts/Features/{Name}Service.cs Assets/Data/flags.json
nadia | test: {thing} across midnight and time zones                   | +Assets/Tests/EditMode/{Name}Tests.cs
nadia | fix: keep {thing} across a restart while offline                 | Assets/Scripts/Features/{Name}Service.cs Assets/Scripts/Save/SaveGame.cs
june  | feat: switch {thing} on for {n}0 % of players                  | Assets/Data/flags.json
nadia | perf: no allocations per frame in {thing}                      | Assets/Scripts/Features/{Name}Service.cs`,
  ),
  area(
    ['shop', 'almanac', 'parade route', 'mailbox', 'seed bag'],
    `
nadia | feat(ui): {thing} screen                                   | +Assets/Scripts/UI/{Name}Screen.cs +Assets/UI/{Name}Screen.uxml
pia   | art(ui): icons of the {thing} screen                       | +Assets/Art/UI/{name}_icons.png
june  | fix(ui): {thing} screen stays clear of the camera notch    | Assets/UI/{Name}Screen.uxml Assets/UI/Theme.uss
nadia | fix(ui): long German words on the {thing} screen           | Assets/UI/{Name}Screen.uxml Assets/Localization/de.json`,
  ),
  area(
    ['rooster', 'market band', 'rain on leaves', 'parade drums'],
    `
june | audio: record the {thing}                    | +Assets/Audio/{Name}.wav
june | audio: {thing} ducks under the music         | Assets/Audio/{Name}.wav Assets/Audio/mixer-settings.json
june | audio: shorter tail on the {thing}           | Assets/Audio/{Name}.wav`,
  ),
  area(
    ['hilltop', 'river bend', 'old mill', 'greenhouse'],
    `
teo | level: rough layout of the {thing}                       | +Assets/Scenes/{Name}.unity
teo | level: light and fog of the {thing}                      | Assets/Scenes/{Name}.unity
teo | level: {n} more places to plant in the {thing}           | Assets/Scenes/{Name}.unity Assets/Data/plots.json`,
  ),
  series(`
nadia | shader: wind in the leaves without a texture                      | +Assets/Shaders/LeafWind.shader
nadia | shader: leaf wind runs at half precision on phones                | Assets/Shaders/LeafWind.shader
teo   | art: morning light grading                                        | Assets/Art/Grading/morning.exr
nadia | build: strip unused shader variants                               | Assets/Editor/ShaderStripping.cs
bram  | ci: cache the Library folder between builds                       | .buildkite/pipeline.yml
bram  | ci: run play mode tests only on main                              | .buildkite/pipeline.yml
bram  | ci: keep the last twenty release builds                           | .buildkite/pipeline.yml tools/prune_builds.py
nadia | chore: update the input package                                   | Packages/manifest.json Packages/packages-lock.json
bram  | ci: two licences for four agents, take turns                      | .buildkite/hooks/pre-command .buildkite/pipeline.yml
nadia | chore: update the addressables package                            | Packages/manifest.json Packages/packages-lock.json
nadia | build: split the Android build into asset packs                   | ProjectSettings/ProjectSettings.asset Assets/Editor/AssetPacks.cs
june  | feat: new interface font, rounder and easier to read              | +Assets/Fonts/OrchardRound.ttf
maren | docs: how a season goes live                                      | +Docs/season-release.md
pia   | video: store preview for autumn                                   | +Store/autumn-preview.mp4
maren | docs: answers to the last store review                            | Docs/store-review.md
bram  | build: debug symbols of 1.8                                       | +Symbols/orchard-1.8.zip
june  | fix: spelling in the autumn letters                               | Assets/Localization/en.json
nadia | chore: bump version to 1.9.0                                      | ProjectSettings/ProjectSettings.asset CHANGELOG.md
triage-bot | fix: null check from the top crash of 1.8.2                  | Assets/Scripts/Parade/FloatSpawner.cs
june  | fix: weekday names in the almanac                                 | Assets/Localization/en.json Assets/Localization/de.json`),
]
