import { readTasks } from '../tasks.ts'

export const tasks = readTasks(`
content | medium | completed   | june         | boards        | spiral sorter  | Spiral sorter, the first board with two exits  |
chore   | high   | completed   | bram         | ci upload     | upload         | Uploads fail when the store hangs up           | Three tries with a pause, then say so in plain words.
bug     | high   | completed   | nadia        | physics       | drift          | Marbles creep on felt                          | Very slowly, but the daily board takes two minutes.
feature | medium | completed   | nadia        | social        | leaderboard    | Leaderboard of the subreddit                   |
chore   | low    | completed   | triage-bot   | dependencies  | physics-update | Update the physics library                     | Together with its view, or the installation refuses.
art     | medium | completed   | pia          | marbles       | tiger eye      | Tiger eye marble                               |
content | medium | in_progress | june         | boards        | pigeon loft    | Boards for the second week of the month        | Seven boards, one of them mean.
bug     | high   | in_progress | nadia        | ci share      | share-card     | Build broken: streakDays is no property        |
feature | high   | in_progress | nadia        | playables     |                | Pause when the host says so                    | Required by the review of the playable, monday 6128840417.
bug     | medium | blocked     | nadia        | reddit        |                | Board of the day flickers in the old app       | Cannot be reproduced here; asked the reporter for a video.
balance | medium | to_do       | june         | boards        |                | Wednesday boards are harder than Friday boards |
art     | low    | to_do       | pia          | marbles       |                | Marbles for the winter holidays                |
feature | low    | to_do       |              | social        |                | Send a board to a friend                       |
chore   | low    | to_do       | patch-scribe | release-notes |                | One line about every new board for the post    |`)
