import { availableParallelism, loadavg } from 'node:os'
import { benchDiagnosis } from './diagnosis/diagnosis.ts'
import { benchFuzz } from './files/fuzz.ts'
import { benchPreviewFiles } from './files/preview-files.ts'
import { benchUploads } from './files/uploads.ts'
import { type Cluster, openCluster } from './harness/database.ts'
import { benchBuildReports } from './intake/build-reports.ts'
import { benchBursts } from './intake/bursts.ts'
import { benchFailures } from './intake/failures.ts'
import { benchHeavyBodies } from './intake/heavy-bodies.ts'
import { benchImport } from './intake/import.ts'
import { benchIntake } from './intake/intake.ts'
import { benchOutgoing } from './intake/outgoing.ts'
import { benchTestResults } from './intake/test-results.ts'
import { benchUgs } from './intake/ugs.ts'
import { benchWriteBack } from './intake/write-back.ts'
import { benchAgents } from './lists/agents.ts'
import { benchApprovalQueue } from './lists/approval-queue.ts'
import { benchFeed } from './lists/feed.ts'
import { benchFilters } from './lists/filters.ts'
import { benchFlakyTests } from './lists/flaky-tests.ts'
import { benchGrowth } from './lists/growth.ts'
import { benchMeasures } from './lists/measures.ts'
import { benchSearch } from './lists/search.ts'
import { benchTasks } from './lists/tasks.ts'
import { benchListeners } from './neighbours/listeners.ts'
import { benchMixed } from './neighbours/mixed.ts'
import { benchNeighbours } from './neighbours/neighbours.ts'
import { benchPostFloods } from './neighbours/post-floods.ts'
import { benchCluster } from './nodes/cluster.ts'
import { benchDistributed } from './nodes/distributed.ts'
import { benchClientStart } from './web/client-start.ts'
import { benchLogViewer } from './web/log-viewer.ts'
import { benchPages } from './web/pages.ts'

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
