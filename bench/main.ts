import { availableParallelism, loadavg } from 'node:os'
import { benchAgents } from './agents.ts'
import { benchApprovalQueue } from './approval-queue.ts'
import { benchBuildReports } from './build-reports.ts'
import { benchBursts } from './bursts.ts'
import { benchClientStart } from './client-start.ts'
import { benchCluster } from './cluster.ts'
import { benchDiagnosis } from './diagnosis.ts'
import { benchDistributed } from './distributed.ts'
import { benchFailures } from './failures.ts'
import { benchFeed } from './feed.ts'
import { benchFilters } from './filters.ts'
import { benchFlakyTests } from './flaky-tests.ts'
import { benchFuzz } from './fuzz.ts'
import { benchGrowth } from './growth.ts'
import { type Cluster, openCluster } from './harness/database.ts'
import { benchHeavyBodies } from './heavy-bodies.ts'
import { benchImport } from './import.ts'
import { benchIntake } from './intake.ts'
import { benchListeners } from './listeners.ts'
import { benchLogViewer } from './log-viewer.ts'
import { benchMeasures } from './measures.ts'
import { benchMixed } from './mixed.ts'
import { benchNeighbours } from './neighbours.ts'
import { benchOutgoing } from './outgoing.ts'
import { benchPages } from './pages.ts'
import { benchPostFloods } from './post-floods.ts'
import { benchPreviewFiles } from './preview-files.ts'
import { benchSearch } from './search.ts'
import { benchTasks } from './tasks.ts'
import { benchTestResults } from './test-results.ts'
import { benchUgs } from './ugs.ts'
import { benchUploads } from './uploads.ts'
import { benchWriteBack } from './write-back.ts'

const BENCHES = {
  tasks: benchTasks,
  filters: benchFilters,
  growth: benchGrowth,
  feed: benchFeed,
  listeners: benchListeners,
  intake: benchIntake,
  import: benchImport,
  'build-reports': benchBuildReports,
  bursts: benchBursts,
  failures: benchFailures,
  'heavy-bodies': benchHeavyBodies,
  outgoing: benchOutgoing,
  mixed: benchMixed,
  neighbours: benchNeighbours,
  'post-floods': benchPostFloods,
  'client-start': benchClientStart,
  pages: benchPages,
  'log-viewer': benchLogViewer,
  'approval-queue': benchApprovalQueue,
  search: benchSearch,
  'test-results': benchTestResults,
  ugs: benchUgs,
  'write-back': benchWriteBack,
  uploads: benchUploads,
  fuzz: benchFuzz,
}
/** They set up their own environment. */
const ALONE = {
  agents: benchAgents,
  diagnosis: benchDiagnosis,
  cluster: benchCluster,
  distributed: benchDistributed,
  'flaky-tests': benchFlakyTests,
  measures: benchMeasures,
  'preview-files': benchPreviewFiles,
}
const NAMES = [...Object.keys(BENCHES), ...Object.keys(ALONE)]

const name = process.argv[2] ?? ''
if (!NAMES.includes(name)) {
  console.error(`Usage: npm run bench -- ${NAMES.join(' | ')}`)
  process.exit(2)
}
if (loadavg()[0]! > availableParallelism() / 2)
  console.warn('The machine is busy: look at the processor time per request, the ratios of requests will be off.')
if (name in ALONE) await ALONE[name as keyof typeof ALONE]()
else await withDatabase(BENCHES[name as keyof typeof BENCHES])

async function withDatabase(bench: (cluster: Cluster) => Promise<void>) {
  const cluster = await openCluster()
  try {
    await bench(cluster)
  } finally {
    await cluster.close()
  }
}
