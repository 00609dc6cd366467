import type { Area } from '../game.ts'
import { area, series } from '../work.ts'

export const areas: readonly Area[] = [
  area(
    [
      'monday zigzag',
      'tilted office',
      'spiral sorter',
      'two-bell tower',
      'night mail',
      'snow chute',
      'pigeon loft',
      'glass funnel',
      'last pickup',
      'wrong address',
    ],
    `
june nadia | New board: {thing}                            | +boards/{name}.json
pia        | Paint the board {thing}                       | +art/boards/{name}.png
june       | Board {thing}: {n} moves fewer, nobody found them | boards/{name}.json`,
  ),
  area(
    ['copper', 'tiger eye', 'comet', 'jelly', 'snow globe', 'ember'],
    `
pia  | Model and texture of the {thing} marble       | +art/marbles/{name}.glb +art/marbles/{name}_albedo.png
june | The {thing} marble has its own sound          | +audio/marbles/{name}.ogg
pia  | Brighter {thing} marble on dark boards        | art/marbles/{name}_albedo.png`,
  ),
  area(
    ['share card', 'streak counter', 'hint button', 'undo button', 'leaderboard', 'replay'],
    `
nadia | First version of the {thing}                          | +src/features/{name}.ts +src/features/{name}.test.ts
nadia | Use the {thing} with one thumb                        | src/features/{name}.ts src/theme.css
june  | Explain the {thing} to newcomers                      | src/features/{name}.ts src/texts/en.json
nadia | The {thing} remembers what the player chose           | src/features/{name}.ts src/state.ts`,
  ),
  series(`
nadia | Draw the table with one shader                        | +src/render/table.frag src/render/table.ts
june  | Rain on the post office roof                          | +audio/ambience/rain.ogg
bram  | Bundle stays under five megabytes                     | scripts/check-size.ts package.json
nadia | Run inside a Reddit post                              | +src/hosts/reddit.ts devvit.json
nadia | Run as a playable                                     | +src/hosts/playables.ts playables.json
maren | How a board becomes the board of the day              | +docs/daily-board.md
pia   | Loop for the store page                               | +store/loop.webm
june  | Stamps for a full week                                | +art/stamps/week.svg
bram  | Upload from the build machine instead of my laptop    | scripts/upload.ts
nadia | Fall back to a still image without WebGL              | src/render/table.ts +art/fallback.png
june  | Softer click when marbles meet                        | audio/marbles/click.ogg
nadia | Bump the physics step to 120 Hz                       | src/physics/step.ts
maren | Answers for the reviewers                             | docs/review-answers.md
june  | Font with proper fractions                            | +art/fonts/PostSlab.woff2
nadia | Stop the loop while the tab is hidden                 | src/main.ts
pia   | New envelope texture                                  | art/ui/envelope.png
bram  | Archive every board of last year                      | +archive/boards-last-year.zip
nadia | Marbles no longer fall asleep on slopes               | src/physics/step.ts src/physics/step.test.ts
june  | Board of the day changes at local midnight            | src/features/daily.ts`),
]
