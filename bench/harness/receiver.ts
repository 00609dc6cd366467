import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'

/** Receives messages: each is in the file before the response, so that acknowledged ones outlive the process. */
const file = openSync(process.env.FILE!, 'a')

createServer((request, response) => {
  request.resume().on('end', () => {
    writeSync(file, `${request.url!.slice(1)} ${request.headers['webhook-id']}\n`)
    response.writeHead(204).end()
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
