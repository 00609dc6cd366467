import { readTasks } from '../tasks.ts'

export const tasks = readTasks(`
chore   | medium   | completed   | bram         | ci perforce             | clobber           | Build workspaces keep local edits and refuse to sync       | A leftover DefaultGame.ini stops the sync on build-win-04. Workspaces have to be clean before they sync.
art     | medium   | completed   | pia          | harbor props            | harbor crane      | Harbor crane, final art                                    | Silhouette first: it has to be readable from the far pier.
feature | high     | completed   | yuki         | gameplay milestone-3    | grapple hook      | Grapple hook                                               | Fires from the lantern hand, holds two players, breaks on sharp edges.
bug     | high     | completed   | teo          | cook content            | missing-reference | Cook misses the wet bell buoy material                     | The map refers to MI_BellBuoy_Wet, which nobody submitted.
bug     | critical | completed   | yuki         | co-op netcode           | oxygen meter      | Players who join late drown at once                        | The oxygen meter starts at zero for anyone who joins during a dive. Seen four times in playtest 13 (CC-162).
balance | medium   | completed   | yuki         | combat playtest         | parry-test        | Parry is too strict on controllers                         | Median reaction in the playtest was 230 ms. Widen the window without making it free.
chore   | low      | completed   | patch-scribe | release-notes           |                   | Release notes for 0.9.1                                    | From the changes since 0.9.0, in words a player understands.
art     | high     | completed   | pia          | characters milestone-3  | salt witch        | Salt witch, production textures                            |
bug     | critical | completed   | bram         | ci nightly              | full-disk         | Nightly shipping build ran out of disk                     | E: on build-win-03 was full of staged builds from last month.
feature | medium   | completed   | june         | audio                   | gull colony       | Gulls that react to the player                             | They leave when somebody runs, and come back later than you would like.
bug     | high     | completed   | idris        | rendering cook          | wet-sand          | Wet sand breaks the cook on the new shader model           | TideLineMask is not declared for FWetSandPS.
content | medium   | completed   | teo          | levels                  | signal tower      | Signal tower, playable from top to bottom                  |
chore   | medium   | completed   | cook-doctor  | cook content            | redirectors       | Clear redirectors out of the props folder                  | Every one of them costs time in the cook. Resave, check, submit in one changelist.
bug     | high     | completed   | cook-doctor  | cook animation          | ferryman          | Ferryman animation blueprint does not compile in the cook  | A variable was removed that the blueprint still reads.
chore   | high     | completed   | bram         | ci nightly              | lost-agent        | build-win-03 disappears in the middle of the night         | It installs updates at three. Find out who scheduled that.
feature | high     | in_progress | idris        | rendering performance   | harbor fog        | Harbor fog under one millisecond on the low preset         | Now at 1.7 ms. Half resolution and a cheaper noise should do it. Measured for CC-214.
feature | medium   | in_progress | yuki         | ui accessibility        | inventory wheel   | Inventory wheel for one hand                               |
art     | medium   | in_progress | pia          | characters              | glass eel         | Glass eel, second pass                                     | Refraction is fine; the head is still too friendly.
bug     | critical | in_progress | idris        | ci                      | undeclared        | Editor build broken: DepthPressureScale                    | Fails on main since the deeper dives went in. A fix is submitted; waiting for a green build.
content | high     | in_progress | teo          | levels milestone-4      | drowned market    | Drowned market, encounters                                 | Two ways out of every room. Patrol density from the spreadsheet.
chore   | medium   | in_progress | triage-bot   | crash triage            |                   | Group the crash reports of 0.9.2 by call stack             | Three signatures cover most of them. Write down the top five with a suspect each.
bug     | high     | blocked     | yuki         | co-op netcode           | co-op revive      | Revive prompt stays on screen for the host                 | Blocked by CC-231: needs a build with two local clients.
feature | medium   | blocked     | june         | audio                   |                   | Foghorn answers the player's horn                          | Blocked until the sea chart knows where the ships are.
chore   | high     | blocked     | maren        | release epic            |                   | Age rating for the second store                            | Waiting for the questionnaire to come back, Asana 1204417730025511.
balance | low      | to_do       | yuki         | combat                  |                   | Lantern fuel lasts too long on the first island            |
feature | medium   | to_do       |              | ui                      |                   | Photo mode without the interface of other players          |
bug     | medium   | to_do       | triage-bot   | crash                   |                   | Crash on exit with two monitors                            | Eleven reports, all with the second screen in portrait.
art     | low      | to_do       | teo          | props                   |                   | More variation in fishing crates                           |
chore   | medium   | to_do       | cook-doctor  | cook performance        |                   | Why does the cook load 400 packages that never ship?       |
content | medium   | to_do       | maren        | store                   |                   | Screenshots for the autumn sale                            |`)
