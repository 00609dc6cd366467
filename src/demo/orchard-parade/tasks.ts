import { readTasks } from '../tasks.ts'

export const tasks = readTasks(`
bug     | high     | completed   | nadia        | android dependencies | consent-package | Release build cannot find consent dialog 2.4.1       | The version was announced but never uploaded. Stay on 2.4.0.
art     | medium   | completed   | pia          | crops autumn         | moon pear       | Moon pear, all growth stages                         |
feature | high     | completed   | nadia        | social               | seed trading    | Seed trading between friends                         | Fair by construction: both sides see the same ledger.
chore   | high     | completed   | bram         | ci licence           | licence         | iOS builds wait for a Unity licence that nobody uses | Cancelled builds keep their seat. Return it in the exit hook.
bug     | critical | completed   | nadia        | streaks              | clock-change    | Streaks reset when the clocks change                 | Everybody in Europe lost their streak on Sunday. Give it back (OP-71).
feature | medium   | completed   | nadia        | photo                | photo booth     | Photo booth                                          | Four pictures, one strip, one tap to share.
content | medium   | completed   | teo          | levels autumn        | old mill        | Old mill, open to visitors                           |
chore   | medium   | completed   | bram         | ci android           | heap            | Release build runs out of heap in R8                 |
chore   | critical | completed   | bram         | ios signing          | profile         | Distribution profile expired                         | Renew it, and put the date of the next one into the calendar.
chore   | low      | completed   | patch-scribe | release-notes        |                 | Release notes for 1.8.2 in five languages            |
bug     | high     | completed   | triage-bot   | crash                | top crash       | Null reference in FloatSpawner, top crash of 1.8.2   | 61 % of all crashes. The float is gone when the parade turns the corner.
balance | medium   | completed   | june         | economy              | honey melon     | Honey melon pays too little for its time             |
art     | high     | in_progress | pia          | parade autumn        | pumpkin coach   | Pumpkin coach, hero float of the season              | Needs to hold up in the store preview. Pictures: https://trello.ninthteapot.example/c/w8KqT2Lm
feature | high     | in_progress | nadia        | social               | friend visits   | Friends can visit while you are away                 | Read-only first (OP-88). Watering comes with 1.10.
bug     | medium   | in_progress | june         | ui                   | almanac         | Almanac cuts off long crop names                     |
bug     | critical | in_progress | june         | ci                   | season-bonus    | Android build broken: CropData.SeasonBonus           | The screen went in before the data. Fix is pushed, build is running.
content | medium   | in_progress | maren        | store autumn         |                 | Autumn store texts                                   | Two lines shorter than last year.
chore   | medium   | blocked     | bram         | ci                   |                 | Move iOS builds to the new machine                   | Waits for the second licence.
feature | medium   | blocked     | nadia        | parade               |                 | Replay of your best parade                           | Blocked by the size of a recording: 9 MB, must be under 1.
art     | low      | blocked     | teo          | parade               |                 | Scarecrow that waves back                            | Blocked until the float rig has a second arm.
balance | high     | to_do       | june         | economy              |                 | Seed prices after the first week                     | Look at the first seven days of 1.9 before touching anything.
bug     | medium   | to_do       | triage-bot   | crash android        |                 | Freezes on phones with 2 GB of memory                |
feature | low      | to_do       |              | accessibility        |                 | Colors of ripe crops for color-blind players         |
chore   | low      | to_do       | patch-scribe | release-notes        |                 | Draft the release notes for 1.9                      |
content | medium   | to_do       | teo          | levels winter        |                 | First sketches of the winter market                  |`)
