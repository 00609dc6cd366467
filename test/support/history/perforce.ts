import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { scratch, standIn } from '../stand-in.ts'
import type { Commit, Delivery, Tool, World } from './world.ts'

const PASSWORD = 'a ticket'
/** The server's zone is seven hours behind: it reads the times of a range there. */
const ZONE_H = 7

/** What the server says instead of its answer to a command. */
export type PerforceTool = Omit<Tool, 'built'> & { instead(command: string, output: string | undefined): void }

/** Of `Work 7`. */
const numberOf = ({ message }: Commit) => String(1000 + Number(message.split(' ')[1]))

const recordOf = (commit: Commit) => ({
  change: numberOf(commit),
  user: 'DICE\\ann',
  client: 'ann-pc',
  time: String(Date.parse(commit.date) / 1000),
  desc: `${commit.message}\n`,
  status: 'submitted',
  changeType: 'public',
  path: '//game/main/...',
})

const filesOf = ({ files }: Commit) =>
  files.map((file, at) => ({ path: `//game/main/${file.path}`, action: file.action, size: String(1000 + at) }))

/**
 * A Perforce server behind its own p4, as documented: JSON lines, errors as lines with exit code 0, only with the ticket, newest first, at most
 * as many as `-m` says. A pending changelist and those of another game are there too.
 */
export function openPerforce({ commits }: World, trigger: 'number' | 'everything' = 'number'): PerforceTool {
  const { folder, remove } = scratch()
  const log = join(folder, 'calls')
  writeFileSync(log, '')
  const described = commits.map((commit) => ({
    ...recordOf(commit),
    ...Object.fromEntries(
      filesOf(commit).flatMap(({ path, action, size }, at) => [
        [`depotFile${at}`, path],
        [`action${at}`, action],
        [`type${at}`, 'binary'],
        [`rev${at}`, '1'],
        [`fileSize${at}`, size],
      ]),
    ),
  }))
  const other = { ...described.at(-1)!, change: '999', path: '//other/...', depotFile0: '//other/a.c', depotFile1: '//other/b.c' }
  const pending = { ...described.at(-1)!, change: '9999', status: 'pending' }
  writeFileSync(join(folder, 'changes.json'), JSON.stringify([...described, other, pending]))
  standIn(folder, 'p4', SERVER)
  const before = process.env.PATH
  process.env.PATH = `${folder}${delimiter}${before}`
  return {
    provider: 'perforce',
    config: {
      server: '127.0.0.1:1666',
      user: 'gold',
      password: PASSWORD,
      depot_paths: '//game/main',
      ...(trigger === 'everything' && { swarm: 'https://swarm.example' }),
    },
    get calls() {
      return readFileSync(log, 'utf8').trim().split('\n')
    },
    state: { remaining: 0 },
    identifierOf: numberOf,
    pushed: (pushed) =>
      pushed.map((commit): Delivery => {
        const { change, user, desc } = recordOf(commit)
        if (trigger === 'number') return { body: { changelist: change } }
        return { body: { changelist: Number(change), user, description: desc, timestamp: commit.date, files: filesOf(commit) } }
      }),
    instead(command, output) {
      if (output === undefined) rmSync(join(folder, `${command}.out`), { force: true })
      else writeFileSync(join(folder, `${command}.out`), output)
    },
    close() {
      process.env.PATH = before
      remove()
    },
  }
}

const SERVER = `
const say = (record) => console.log(JSON.stringify(record))
const error = (data, severity = 3) => say({ data: data + '\\n', generic: 38, severity })
const [form, tagged, command, ...rest] = args
fs.appendFileSync(__dirname + '/calls', args.slice(2).join(' ') + '\\n')
if (form !== '-Mj' || tagged !== '-ztag') throw new Error('Usage')
if (process.env.P4PASSWD !== '${PASSWORD}') return error('Perforce password (P4PASSWD) invalid or unset.')
if (fs.existsSync(__dirname + '/' + command + '.out')) return process.stdout.write(fs.readFileSync(__dirname + '/' + command + '.out'))
const changes = JSON.parse(fs.readFileSync(__dirname + '/changes.json', 'utf8'))
const bare = (one) => Object.fromEntries(Object.entries(one).filter(([key]) => !/\\d$/.test(key)))
if (command === 'streams') return say({ Stream: '//game/main', Parent: 'none', Type: 'mainline' })
if (command === 'stream') return say({ Stream: '//game/main', Paths0: 'share ...' })
if (command === 'property') return say({ name: 'P4.Swarm.URL', value: 'https://swarm.example/', sequence: '0' })
if (command === 'describe') {
  if (rest[0] !== '-s' || rest.length < 2) throw new Error('Usage: describe -s changelist# ...')
  for (const number of rest.slice(1)) {
    const found = changes.find(({ change }) => change === number)
    if (found) say(found)
    else error(number + ' - no such changelist.')
  }
  return
}
if (command !== 'changes') return error("Unknown command.  Try 'p4 help' for info.")
const isLong = rest[0] === '-l'
const [s, submitted, m, most, ...ranges] = isLong ? rest.slice(1) : rest
if (s !== '-s' || submitted !== 'submitted' || m !== '-m' || !/^\\d+$/.test(most) || ranges.length === 0) throw new Error('Usage: changes')
const found = new Set()
for (const range of ranges) {
  const [, path, day, time, until] = /^(\\/\\/.+)\\.\\.\\.@(\\d{4}\\/\\d\\d\\/\\d\\d):(\\d\\d:\\d\\d:\\d\\d),@(now|\\d+)$/.exec(range) ?? []
  if (path === undefined) return error("Invalid changelist/client/label/date '" + range + "'.")
  const since = Date.parse(day.replaceAll('/', '-') + 'T' + time + 'Z') / 1000 + ${ZONE_H} * 3600
  for (const one of changes)
    if (one.status === 'submitted' && one.time >= since && (until === 'now' || Number(one.change) <= Number(until)))
      if (Object.entries(one).some(([key, value]) => key.startsWith('depotFile') && value.startsWith(path))) found.add(one)
}
for (const one of [...found].sort((a, b) => b.change - a.change).slice(0, Number(most)))
  say({ ...bare(one), desc: isLong ? one.desc : one.desc.slice(0, 31) })
`
