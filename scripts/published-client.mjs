// Writes the client that programs import as goldmaster/client into a folder: one file without dependencies, and its types.
import { writeFileSync } from 'node:fs'
import { adminRoutes } from '../src/contract/app/routes.ts'
import { clientDeclarations, listsOf } from '../src/contract/openapi/typescript.ts'
import { eventStream, routes } from '../src/contract/routes.ts'
import { bundlePublishedClient } from './bundle-client.mjs'

const folder = process.argv[2]
const calls = Object.entries({ ...routes, ...adminRoutes }).map(([name, { method, path, produces }]) => [
  name,
  { method, path, produces },
])
const lists = Object.fromEntries(listsOf().map(([name, { rows }]) => [name, rows]))
await bundlePublishedClient(Object.fromEntries(calls), lists, eventStream.path, `${folder}/client.js`)
writeFileSync(`${folder}/client.d.ts`, clientDeclarations())
