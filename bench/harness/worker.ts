import { readEnvironment } from '../../src/environment.ts'
import { work } from '../../src/serve.ts'

/** What `goldmaster work` runs. */
await work(readEnvironment(process.env))
