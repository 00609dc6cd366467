import { readEnvironment } from '../../src/service/environment.ts'
import { work } from '../../src/service/serve.ts'

/** The code of `goldmaster work`. */
await work(readEnvironment(process.env))
