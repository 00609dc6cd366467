// Runs inside Wine: starts programs for the tests, with Windows pipes, and returns their output and their whole exit code.
const { spawn } = require('node:child_process')
const { createServer } = require('node:http')
const { renameSync, writeFileSync } = require('node:fs')

const server = createServer(async (request, response) => {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  const { file, args, cwd, env, input } = JSON.parse(text)
  // Names of variables ignore case here.
  const isGiven = (name) => Object.keys(env).some((each) => each.toUpperCase() === name.toUpperCase())
  const kept = Object.entries({ ...process.env }).filter(([name]) => !isGiven(name))
  const child = spawn(file, args, { cwd, env: { ...Object.fromEntries(kept), ...env } })
  const [out, err] = [[], []]
  child.stdout.on('data', (bytes) => out.push(bytes))
  child.stderr.on('data', (bytes) => err.push(bytes))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const answer = (code) =>
    response.end(JSON.stringify({ code, out: Buffer.concat(out).toString('base64'), err: Buffer.concat(err).toString('base64') }))
  child.on('error', (error) => answer(error.code))
  child.on('close', answer)
})
server.listen(0, '127.0.0.1', () => {
  writeFileSync(`${process.argv[2]}.new`, String(server.address().port))
  renameSync(`${process.argv[2]}.new`, process.argv[2])
})
