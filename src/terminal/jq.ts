import { type JqInput, loadJq } from 'jq-wasm/inline'
import { Failure, usage } from './failures.ts'
import { clean } from './text.ts'

/** Text without quotes, one value per line. */
const FLAGS = ['--raw-output', '--compact-output']
const NOT_A_QUERY = 3

const reason = (stderr: string) => clean(stderr.split('\n')[0]!.replace(/^jq: error(?: \(at [^)]*\))?: |:$/g, ''))

/** A query of real jq, parsed before anything is done. */
export async function readQuery(query: string): Promise<(document: unknown) => string> {
  const jq = await loadJq()
  const tried = jq.raw(null, query, FLAGS)
  if (tried.exitCode === NOT_A_QUERY) throw usage(`--jq: ${reason(tried.stderr)}`)
  return (document) => {
    const { stdout, stderr, exitCode } = jq.raw(document as JqInput, query, FLAGS)
    if (exitCode !== 0) throw new Failure(`--jq: ${reason(stderr)}`)
    return stdout
  }
}
