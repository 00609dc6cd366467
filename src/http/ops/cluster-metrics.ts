import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'

const ASKED = 'goldmaster:metrics'

interface Message {
  type?: string
  text?: string
}

/** In the first process of a node: sums the metrics of all processes, for whichever of them is scraped. */
export function aggregateMetrics() {
  const all = new AggregatorRegistry()
  cluster.on('message', (worker: Worker, message: Message) => {
    if (message?.type !== ASKED) return
    const answer = (text: string | undefined) => worker.isConnected() && worker.send({ type: ASKED, text } satisfies Message)
    all.clusterMetrics().then(answer, () => answer(undefined))
  })
}

/** In the others: sends its own on request. */
export function reportToPrimary(registry: Registry) {
  new AggregatorRegistry()
  AggregatorRegistry.setRegistries(registry)
}

/** One request at a time. */
export function aggregatedMetrics(): Promise<string> {
  return new Promise((resolve, reject) => {
    const heard = (message: Message) => {
      if (message?.type !== ASKED) return
      process.off('message', heard)
      if (message.text === undefined) reject(new Error('a process of this node did not report its metrics'))
      else resolve(message.text)
    }
    process.on('message', heard)
    process.send!({ type: ASKED } satisfies Message)
  })
}
