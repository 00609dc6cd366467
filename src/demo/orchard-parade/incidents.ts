import type { Incident } from '../game.ts'
import { work } from '../work.ts'
import * as mobile from './logs-mobile.ts'
import * as unity from './logs-unity.ts'

const SCRIPTS = 'Assets/Scripts'

export const incidents: readonly Incident[] = [
  {
    key: 'consent-package',
    job: 'orchard-release-android',
    category: 'dependency_resolution',
    share: 0.5,
    lasts: 1,
    log: mobile.missingPackage,
    culprit: work('nadia', 'chore: consent dialog 2.4.1', 'Assets/Plugins/Android/mainTemplate.gradle'),
    fix: work(
      'nadia',
      'chore: back to consent dialog 2.4.0, 2.4.1 was never published',
      'Assets/Plugins/Android/mainTemplate.gradle',
    ),
  },
  {
    key: 'trade-ledger',
    job: 'orchard-android',
    category: 'compile_error',
    share: 0.3,
    lasts: 2,
    log: unity.missingType,
    culprit: work('nadia', 'refactor: seed trading keeps a ledger', `${SCRIPTS}/Features/SeedTradingService.cs`),
    fix: work('nadia', 'fix: add the trade ledger itself', `+${SCRIPTS}/Features/TradeLedger.cs`),
  },
  {
    key: 'licence',
    job: 'orchard-ios',
    category: 'license_seat',
    share: 0.08,
    lasts: 2,
    log: unity.noLicence,
    fix: work('bram', 'ci: give the Unity licence back when a build is cancelled', '.buildkite/hooks/pre-exit'),
  },
  {
    key: 'clock-change',
    job: 'orchard-tests',
    category: 'test_failure',
    share: 0.9,
    lasts: 2,
    log: unity.failedTest,
    culprit: work('june', 'feat: harvest streaks count by local day', `${SCRIPTS}/Features/HarvestStreaksService.cs`),
    fix: work('nadia', 'fix: harvest streaks survive the clock change', `${SCRIPTS}/Features/HarvestStreaksService.cs`),
  },
  {
    key: 'photo-booth',
    job: 'orchard-android',
    category: 'compile_error',
    share: 0.7,
    lasts: 2,
    log: unity.nativeCompiler,
    culprit: work('nadia', 'perf: photo booth scales pictures natively', '+Assets/Plugins/PhotoBooth/PhotoBooth.cpp'),
    fix: work(
      'nadia',
      'fix: photo booth asks for the API level its decoder needs',
      'Assets/Plugins/PhotoBooth/PhotoBooth.cpp ProjectSettings/ProjectSettings.asset',
    ),
  },
  {
    key: 'heap',
    job: 'orchard-release-android',
    category: 'out_of_memory',
    share: 0.8,
    lasts: 1,
    log: mobile.outOfMemory,
    fix: work('bram', 'ci: four gigabytes for Gradle', 'Assets/Plugins/Android/gradleTemplate.properties'),
  },
  {
    key: 'profile',
    job: 'orchard-release-ios',
    category: 'signing',
    share: 0.85,
    lasts: 1,
    log: mobile.noProfile,
    fix: work('bram', 'ci: install the renewed distribution profile', '.buildkite/hooks/pre-command tools/install_profiles.py'),
  },
  {
    key: 'season-bonus',
    job: 'orchard-android',
    category: 'compile_error',
    share: 0.3,
    lasts: 2,
    log: unity.missingMember,
    culprit: work('june', 'feat(ui): almanac shows the season bonus', `${SCRIPTS}/UI/AlmanacScreen.cs`),
    fix: work('june', 'fix: crops know their season bonus', `${SCRIPTS}/Data/CropData.cs`),
  },
]
