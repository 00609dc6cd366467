import type { Incident } from '../game.ts'
import { work } from '../work.ts'
import * as logs from './logs.ts'

export const incidents: readonly Incident[] = [
  {
    key: 'upload',
    job: 'marble-release',
    category: 'network',
    share: 0.9,
    lasts: 1,
    log: logs.noNetwork,
    fix: work('bram', 'Try an upload three times before giving up', 'scripts/upload.ts'),
  },
  {
    key: 'drift',
    job: 'marble-web',
    category: 'test_failure',
    share: 0.6,
    lasts: 2,
    log: logs.failedTest,
    culprit: work('nadia', 'Cheaper friction for marbles on felt', 'src/physics/step.ts'),
    fix: work('nadia', 'Marbles at rest are really at rest', 'src/physics/step.ts'),
  },
  {
    key: 'physics-update',
    job: 'marble-web',
    category: 'dependency_resolution',
    share: 0.3,
    lasts: 1,
    log: logs.conflict,
    culprit: work('nadia', 'Physics 4.0', 'package.json package-lock.json'),
    fix: work('nadia', 'Update the physics view together with the physics', 'package.json package-lock.json'),
  },
  {
    key: 'share-card',
    job: 'marble-web',
    category: 'compile_error',
    share: 0.4,
    lasts: 2,
    log: logs.typeError,
    culprit: work('june', 'Share card shows the streak', 'src/features/share_card.ts src/texts/en.json'),
    fix: work('nadia', 'The player state knows the streak in days', 'src/state.ts'),
  },
]
