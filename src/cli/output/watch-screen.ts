import type { ReplyOf } from '../../contract/routes.ts'
import { buildState } from '../../contract/sets.ts'
import type { Paint } from '../../terminal/paint.ts'
import { clean, cut, pad } from '../../terminal/text.ts'
import { duration, relative } from '../../terminal/times.ts'
import { paintWord } from '../../terminal/values.ts'

type Build = ReplyOf<'showBuild'>
type Step = Build['steps'][number]

const MARKS: Record<string, string> = { completed: '✓', failed: '✗', running: '●', cancelled: '-', skipped: '-' }
const BAR = 20
/** More steps than fit on a screen: only the relevant ones are shown. */
const MOST_STEPS = 15

const nameOf = ({ ci_job_name, build_number, id }: Build) =>
  clean(`${ci_job_name || 'Build'}${build_number ? ` #${build_number}` : ''} (${id})`)

const secondsOf = ({ duration_seconds, started_at }: Pick<Build, 'duration_seconds' | 'started_at'>): number | undefined => {
  if (duration_seconds !== null) return duration_seconds
  return started_at === null ? undefined : Math.max(0, Math.round((Date.now() - Date.parse(started_at)) / 1000))
}

/** `412/1200` in a step's detail is its progress. */
export function barOf(detail: string): string {
  const [, done, total] = /(?:^|\s)(\d{1,9})\/([1-9]\d{0,8})(?!\S*\/)/.exec(detail) ?? []
  if (done === undefined) return ''
  const part = Math.min(1, Number(done) / Number(total))
  const full = Math.round(part * BAR)
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${Math.floor(part * 100)} % `
}

const lineOf = (step: Step, width: number, paint: Paint, screen: number) => {
  const seconds = step.status === 'running' || step.duration_seconds !== null ? secondsOf(step) : undefined
  const time = seconds === undefined ? '' : `  ${duration(seconds)}`
  const progress = step.status === 'running' ? barOf(step.detail) : ''
  const text = `${pad(clean(step.name), width)}  ${progress}${clean(step.detail)}`
  const mark = paintWord(paint, step.status, MARKS[step.status] ?? '○')
  return `  ${mark} ${cut(text, screen - time.length - 4).trimEnd()}${paint('dim', time)}`
}

/** All of a build on one screen. */
export function screenOf(build: Build, paint: Paint, width: number): string[] {
  const seconds = secondsOf(build)
  const silent = build.silent_since ? `last report ${relative(build.silent_since)}` : ''
  const state = buildState(build)
  const facts = [state, silent, build.phase, seconds === undefined ? '' : duration(seconds)]
    .filter(Boolean)
    .map((each) => clean(each))
  const head = cut(`${nameOf(build)}  ${facts.join(' · ')}`, width)
  const steps = build.steps.length > MOST_STEPS ? pressing(build.steps) : build.steps
  const names = Math.min(32, Math.max(0, ...steps.map((step) => clean(step.name).length)))
  return [paintWord(paint, state, head), ...steps.map((step) => lineOf(step, names, paint, width))]
}

const pressing = (steps: Step[]) => steps.filter((step) => step.status !== 'completed').slice(-MOST_STEPS)

/** What is new since the last poll, a line each. */
export function changesBetween(before: Build | undefined, now: Build): string[] {
  const at = new Date().toISOString().slice(11, 19)
  const lines: string[] = []
  if (!before || buildState(before) !== buildState(now) || before.phase !== now.phase)
    lines.push(`${at}  ${nameOf(now)}  ${[buildState(now), now.phase].filter(Boolean).map(clean).join(' · ')}`)
  for (const step of now.steps) {
    const known = before?.steps.find((each) => each.name === step.name)
    if (known?.status === step.status && known.detail === step.detail) continue
    lines.push(`${at}  ${[step.name, step.status, step.detail].filter(Boolean).map(clean).join('  ')}`)
  }
  return lines
}
