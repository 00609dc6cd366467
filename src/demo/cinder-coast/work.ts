import type { Area } from '../game.ts'
import { area, series } from '../work.ts'

export const areas: readonly Area[] = [
  area(
    ['harbor crane', 'lighthouse door', 'fishing crate', 'rope ladder', 'bell buoy', 'net rack', 'tide clock'],
    `
teo     | Block out the {thing}                                              | +Content/Environment/Props/{Name}/SM_{Name}.uasset
pia teo | Final mesh and LODs for the {thing}                                | Content/Environment/Props/{Name}/SM_{Name}.uasset
pia     | Texture set for the {thing}: base color, normal, packed ORM        | +Content/Environment/Props/{Name}/T_{Name}_BC.uasset +Content/Environment/Props/{Name}/T_{Name}_N.uasset +Content/Environment/Props/{Name}/MI_{Name}.uasset
teo     | Bring the {thing} down to {n}k triangles, nobody sees it up close  | Content/Environment/Props/{Name}/SM_{Name}.uasset`,
  ),
  area(
    ['tide warden', 'salt witch', 'harbor guard', 'ferryman', 'glass eel'],
    `
pia      | Rig and skin the {thing}                                  | +Content/Characters/{Name}/SK_{Name}.uasset
yuki     | First locomotion set for the {thing}                      | +Content/Characters/{Name}/AS_{Name}_Walk.uasset +Content/Characters/{Name}/AS_{Name}_Run.uasset +Content/Characters/{Name}/ABP_{Name}.uasset
pia      | Paint the {thing} at production resolution                | +Content/Characters/{Name}/T_{Name}_BC.uasset +Content/Characters/{Name}/T_{Name}_N.uasset
yuki     | Hit reactions for the {thing}, {n} directions             | +Content/Characters/{Name}/AM_{Name}_Hit.uasset
pia yuki | Keep the cloth of the {thing} from exploding on teleport  | Content/Characters/{Name}/SK_{Name}.uasset Content/Characters/{Name}/ABP_{Name}.uasset`,
  ),
  area(
    ['drowned market', 'north pier', 'lamp oil warehouse', 'signal tower', 'old cistern', 'sunken chapel'],
    `
teo | Grey-box the {thing}                                        | +Content/Maps/{Name}/L_{Name}.umap
teo | Lighting pass on the {thing}                                | Content/Maps/{Name}/L_{Name}.umap +Content/Maps/{Name}/L_{Name}_Lighting.umap
teo | Encounters in the {thing}: {n} patrols and two ways out     | Content/Maps/{Name}/L_{Name}.umap +Content/Data/Encounters/{Name}.csv
teo | Close the streaming seam at the edge of the {thing}         | Content/Maps/{Name}/L_{Name}.umap`,
  ),
  area(
    ['grapple hook', 'oxygen meter', 'tide cycle', 'parry window', 'lantern fuel', 'co-op revive'],
    `
yuki idris | Add the {thing} component                                      | +Source/CinderCoast/Gameplay/{Name}Component.h +Source/CinderCoast/Gameplay/{Name}Component.cpp
yuki       | Replicate the {thing} state to players who join late           | Source/CinderCoast/Gameplay/{Name}Component.h Source/CinderCoast/Gameplay/{Name}Component.cpp
yuki       | Let designers tune the {thing} without a recompile             | Source/CinderCoast/Gameplay/{Name}Component.h Config/DefaultGame.ini +Content/Data/Tuning/{Name}.csv
idris      | The {thing} no longer ticks while nobody is near               | Source/CinderCoast/Gameplay/{Name}Component.cpp
yuki       | Automation tests for the {thing}                               | +Source/CinderCoastTests/Private/{Name}Test.cpp`,
  ),
  area(
    ['wet sand', 'harbor fog', 'lantern glow', 'water surface', 'distant shoreline'],
    `
idris | Cheaper {thing} for the low preset                       | Shaders/Private/{Name}.usf Content/Materials/M_{Name}.uasset
idris | Take {n} tenths of a millisecond out of the {thing} pass | Source/CinderCoast/Rendering/{Name}Pass.cpp Shaders/Private/{Name}.usf
pia   | Fade the {thing} in instead of popping it                | Content/Materials/MI_{Name}_Far.uasset`,
  ),
  area(
    ['gull colony', 'tide surge', 'market crowd', 'wooden pier', 'foghorn'],
    `
june | Record and cut the {thing} ambience             | +RawAudio/Ambience/{Name}_Loop.wav +Content/Audio/Ambience/SW_{Name}.uasset
june | Mix the {thing} {n} dB lower at night           | Content/Audio/Ambience/SC_{Name}.uasset
june | Vary the {thing} so that nobody hears the loop  | Content/Audio/Ambience/SC_{Name}.uasset`,
  ),
  area(
    ['inventory wheel', 'sea chart', 'photo mode', 'controller settings', 'co-op lobby'],
    `
yuki      | Wire up the {thing}                                   | +Source/CinderCoast/UI/{Name}Widget.h +Source/CinderCoast/UI/{Name}Widget.cpp
pia       | Icons for the {thing}                                 | +RawArt/UI/{name}.psd +Content/UI/Textures/T_UI_{Name}.uasset
yuki june | Make the {thing} readable on a handheld at 720p       | Source/CinderCoast/UI/{Name}Widget.cpp Content/UI/Textures/T_UI_{Name}.uasset
yuki      | Gather the texts of the {thing} for translation       | Source/CinderCoast/UI/{Name}Widget.cpp Content/Localization/Game/en/Game.po`,
  ),
  series(`
bram        | Cook only the maps that ship                                           | Config/DefaultGame.ini Build/Graph/Nightly.xml
bram        | Keep symbols of the last thirty nightly builds                         | Build/Scripts/archive_symbols.py
bram        | Warm the shader cache on the build machines before the first cook      | Jenkinsfile Build/Scripts/warm_ddc.py
cook-doctor | Resave packages that still point at redirectors in Environment/Props   | Content/Environment/Props/FishingCrate/SM_FishingCrate.uasset Content/Environment/Props/NetRack/SM_NetRack.uasset
bram        | Split editor and cook into two Jenkins jobs                            | Jenkinsfile Build/Graph/Editor.xml Build/Graph/Cook.xml
bram        | Warn in chat when a night takes longer than two hours                  | Jenkinsfile
cook-doctor | Delete unused lightmaps of the first vertical slice                    | -Content/Maps/VerticalSlice/T_Lightmap_01.uasset -Content/Maps/VerticalSlice/T_Lightmap_02.uasset
bram        | Sign the Windows installer with the new certificate                    | Build/Scripts/sign_installer.py Build/Windows/Installer.xml
cook-doctor | Resave maps after the engine update                                    | Content/Maps/DrownedMarket/L_DrownedMarket.umap Content/Maps/NorthPier/L_NorthPier.umap`),
  series(`
teo   | Cold open, second cut                                    | Content/Movies/ColdOpen.mp4
june  | Swap the placeholder interface font for Harbor Sans      | +Content/UI/Fonts/HarborSans-Regular.ttf +Content/UI/Fonts/HarborSans-Bold.ttf
maren | Submission checklist for both stores                     | +Docs/Release/submission-checklist.md
idris | Update the crash reporter package                        | Tools/CrashReporter/crash-reporter-win64.zip
maren | Notes from playtest 14                                   | +Docs/Playtests/playtest-14.md
teo   | Store trailer, sixty frames                              | +Content/Movies/StoreTrailer_60.mp4
idris | Engine update to the latest hotfix                       | CinderCoast.uproject Build/engine-version.json
maren | Credits with everybody's spelling checked                | Content/Data/credits.csv`),
]
