import { readEnvironment } from '../../src/environment.ts'
import { work } from '../../src/serve.ts'

/** The code of `goldmaster work`. */
await work(readEnvironment(process.env))
