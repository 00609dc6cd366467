/** Output of Node's tools when a small web game does not build. */

const HEAD = `
Revision {change} on main
$ npm ci --no-audit
added 214 packages in 6s
$ npm run check

> marble-post@0.14.0 check
> tsc --noEmit
`

export const typeError = `${HEAD}
src/features/share_card.ts(41,24): error TS2339: Property 'streakDays' does not exist on type 'PlayerState'.
src/features/share_card.ts(44,24): error TS2339: Property 'streakDays' does not exist on type 'PlayerState'.
npm error Lifecycle script \`check\` failed with error:
npm error code 2
npm error path /builds/marble-post
npm error command failed
npm error command sh -c tsc --noEmit
Build step 'Execute shell' marked build as failure
Finished: FAILURE`

export const failedTest = `${HEAD}
$ npm test

> marble-post@0.14.0 test
> vitest run

 RUN  v3.2.4 /builds/marble-post

 ✓ src/state.test.ts (14 tests) 41ms
 ❯ src/physics/step.test.ts (9 tests | 1 failed) 122ms
   × src/physics/step.test.ts > a marble at rest stays at rest 18ms
     → expected 0.0031 to be less than 0.001

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/physics/step.test.ts > a marble at rest stays at rest
AssertionError: expected 0.0031 to be less than 0.001
 ❯ src/physics/step.test.ts:58:27
     56|   for (let i = 0; i < 240; i++) step(world, 1 / 120)
     57|   const drift = distance(world.marbles[0].at, start)
     58|   expect(drift).toBeLessThan(0.001)
       |                 ^

 Test Files  1 failed | 30 passed (31)
      Tests  1 failed | 186 passed (187)
   Duration  4.10s

npm error Lifecycle script \`test\` failed with error:
npm error code 1
Build step 'Execute shell' marked build as failure
Finished: FAILURE`

export const conflict = `
Revision {change} on main
$ npm ci --no-audit
npm error code ERESOLVE
npm error ERESOLVE could not resolve
npm error
npm error While resolving: marble-physics-view@2.1.0
npm error Found: marble-physics@4.0.0
npm error node_modules/marble-physics
npm error   marble-physics@"^4.0.0" from the root project
npm error
npm error Could not resolve dependency:
npm error peer marble-physics@"^3.2.0" from marble-physics-view@2.1.0
npm error node_modules/marble-physics-view
npm error   marble-physics-view@"^2.1.0" from the root project
npm error
npm error Fix the upstream dependency conflict, or retry this command with --force or --legacy-peer-deps
Build step 'Execute shell' marked build as failure
Finished: FAILURE`

export const noNetwork = `
Revision {change} on release
$ npm ci --no-audit
added 214 packages in 6s
$ npm run bundle -- --release
bundle 3.9 MB of 5.0 MB
$ npm run upload
uploading marble-post-{number}.zip (3.9 MB)
Error: read ECONNRESET
    at TLSWrap.onStreamRead (node:internal/stream_base_commons:217:20) {
  errno: -104,
  code: 'ECONNRESET',
  syscall: 'read'
}
npm error Lifecycle script \`upload\` failed with error:
npm error code 1
Build step 'Execute shell' marked build as failure
Finished: FAILURE`
