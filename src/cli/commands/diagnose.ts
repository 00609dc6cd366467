import { Command } from 'commander'
import { ACTIONS } from '../../contract/labels/who-acts.ts'
import type { Candidate, Finding } from '../../diagnosis/finding.ts'
import type { Definition } from '../../diagnosis/own-rules/definition.ts'
import { diagnoseWithOwn, readOwnRules } from '../../diagnosis/own-rules/own-rules.ts'
import { ADVICE } from '../../diagnosis/stages/advice.ts'
import { passedLines } from '../../diagnosis/stages/passed.ts'
import { fail } from '../../terminal/build-command.ts'
import { explain, Failure, usage } from '../../terminal/failures.ts'
import { reasonOf } from '../../terminal/given-text.ts'
import { paintFor } from '../../terminal/paint.ts'
import { annotate } from '../output/annotate.ts'
import { reportOf } from '../output/report-diagnosis.ts'
import { readLog, STANDARD_INPUT } from '../program/read-log.ts'
import { SUMMARIES } from '../summaries.ts'

interface Flags {
  json?: true
  list?: string
  cases?: string
  rules?: string
  passed?: string[]
  verbose?: true
}

/** One log to read, with its candidate changes if the caller knows them. */
interface Case {
  log: string
  id?: unknown
  candidates?: Candidate[]
  /** Passed logs of the same job. */
  passed?: string[]
}

/** The format of a file of cases: times may be seconds since 1970. */
interface WrittenCase {
  id: unknown
  log: string
  passed?: string[]
  suspects: (Omit<Candidate, 'timestamp'> & { timestamp: string | number })[]
}

const EXAMPLES = `
Examples:
  goldmaster diagnose build.log
  goldmaster diagnose --verbose build.log.gz
  curl -s https://ci.example.com/job/42/log | goldmaster diagnose -
  goldmaster diagnose --json logs/*.log | jq -r '[.file, .category, .diagnosis] | @tsv'
  goldmaster diagnose --cases cases.jsonl
  goldmaster diagnose --rules rules.json build.log
  goldmaster diagnose build.log --passed green-1.log green-2.log

The --cases file has one JSON object per line: {"id", "log", "suspects": [{"id", "author", "timestamp", "subject", "files": [{"path", "action"}]}]}.
Add "passed": [FILE…] to name logs of the same job that passed.`

const lines = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== '')

const moment = (timestamp: string | number) =>
  typeof timestamp === 'number' ? new Date(timestamp * 1000).toISOString() : timestamp

function readCase(line: string, number: number): Case {
  try {
    const { id, log, passed, suspects } = JSON.parse(line) as WrittenCase
    return { id, log, passed, candidates: suspects.map((each) => ({ ...each, timestamp: moment(each.timestamp) })) }
  } catch {
    throw usage(`Line ${number} of the --cases file must be a JSON object with id, log and suspects`)
  }
}

async function casesOf(files: string[], flags: Flags): Promise<Case[]> {
  if ([files.length > 0, flags.list, flags.cases].filter(Boolean).length !== 1)
    throw usage('Missing log. Pass one or more log files, or --list FILE, or --cases FILE; see goldmaster diagnose --help')
  if (flags.cases) return lines(await open(flags.cases)).map((line, index) => readCase(line, index + 1))
  const paths = flags.list ? lines(await open(flags.list)) : files
  return paths.map((log) => ({ log }))
}

const open = (path: string) =>
  readLog(path).catch((error: unknown) => {
    throw new Failure(`Can't read ${path}: ${reasonOf(error)}`)
  })

async function rulesIn(path: string): Promise<Definition[]> {
  const text = await open(path)
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    throw new Failure(`${path} is not JSON: ${(error as Error).message}`)
  }
  return readOwnRules(given)
}

/** Many cases name the same logs. */
const read = new Map<string, Promise<Set<number>>>()

async function linesOf(paths: readonly string[]): Promise<Set<number>> {
  const all = new Set<number>()
  for (const path of paths) {
    const lines = read.get(path) ?? open(path).then((raw) => passedLines(raw))
    read.set(path, lines)
    for (const hash of await lines) all.add(hash)
  }
  return all
}

const wire = (each: Case, finding: Finding) => ({
  file: each.log,
  ...(each.candidates ? { id: each.id } : {}),
  category: finding.category,
  confidence: finding.confidence,
  ...ACTIONS[finding.category],
  diagnosis: finding.diagnosis,
  suggested_fix: finding.suggested_fix,
  evidence: finding.evidence,
  file_path: finding.file_path,
  line: finding.line,
  ...(finding.attribution ?? {}),
})

async function run(files: string[], flags: Flags): Promise<void> {
  const paint = paintFor(process.stdout, process.env)
  const cases = await casesOf(files, flags)
  const own = flags.rules ? await rulesIn(flags.rules) : []
  for (const each of cases) {
    let raw: string
    let passed: Set<number>
    try {
      raw = await open(each.log)
      passed = await linesOf(each.passed ?? flags.passed ?? [])
    } catch (error) {
      fail(explain(error, { site: each.log }))
      continue
    }
    const finding = diagnoseWithOwn(raw, { own, passed, candidates: each.candidates })
    const name = each.log === STANDARD_INPUT ? 'standard input' : each.log
    process.stdout.write(
      `${flags.json ? JSON.stringify(wire(each, finding)) : reportOf(name, finding, raw, paint, flags.verbose ?? false)}\n`,
    )
    if (!flags.json && finding.category !== 'none')
      await annotate(
        { title: ADVICE[finding.category].what, message: finding.diagnosis, file: finding.file_path, line: finding.line },
        process.env,
        (line) => process.stdout.write(`${line}\n`),
      )
  }
}

export const diagnose = () =>
  new Command('diagnose')
    .description(SUMMARIES.diagnose)
    .argument('[files...]', 'Log files, plain or gzipped; - reads standard input')
    .option('--json', 'Print one JSON object per log, one per line')
    .option('--list <file>', 'File with the paths of logs, one per line')
    .option('--cases <file>', 'File with logs and their candidate changes, to rank suspects')
    .option('--rules <file>', 'JSON file with your own failure rules; they come before the built-in ones')
    .option('--passed <files...>', 'Logs of the same job that passed; lines found there are not the cause')
    .option('--verbose', 'Also print how the cause was found')
    .addHelpText('after', EXAMPLES)
    .action(run)
