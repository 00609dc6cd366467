import type { Job } from '../game.ts'

const HEAD = `
Revision {change} on {branch}
$ npm ci --no-audit
added 214 packages in 6s`

export const jobs: readonly Job[] = [
  {
    name: 'marble-web',
    target: 'development',
    branch: 'main',
    minutes: [2, 4],
    when: 'change',
    phases: ['install', 'check', 'test', 'bundle'],
    log: `${HEAD}
$ npm run check
$ npm test
 Test Files  31 passed (31)
      Tests  187 passed (187)
$ npm run bundle
dist/assets/index.js   612.40 kB
built in 3.18s
bundle 4.2 MB of 5.0 MB
Finished: SUCCESS`,
    artifacts: [['marble-post-{number}.zip', 4]],
  },
  {
    name: 'marble-release',
    target: 'shipping',
    branch: 'release',
    minutes: [4, 7],
    when: 'change',
    phases: ['install', 'check', 'test', 'bundle', 'upload'],
    log: `${HEAD}
$ npm run bundle -- --release
bundle 3.9 MB of 5.0 MB
$ npm run upload
uploaded marble-post-{number}.zip
Finished: SUCCESS`,
    artifacts: [['marble-post-release-{number}.zip', 4]],
  },
]
