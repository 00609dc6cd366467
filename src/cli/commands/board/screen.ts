import { jobsInWords } from '../../../contract/labels/breakage-jobs.ts'
import type { Paint } from '../../../terminal/paint.ts'
import { clean, cut, pad } from '../../../terminal/text.ts'
import { duration, relative } from '../../../terminal/times.ts'
import { paintWord } from '../../../terminal/values.ts'
import { withoutFolders } from '../../output/without-folders.ts'
import type { Board } from './board.ts'

interface View {
  paint: Paint
  columns: number
  rows: number
  /** The breakage the keys act on. */
  selected: number
  /** The result of the last key, or a problem of the connection. */
  message: string
  now: number
}

export const KEYS = '↑ ↓ select   c claim   o open in the browser   q quit'
const HEADINGS = 3
const FOOT = 2

/** All of a board on one screen: breakages first, because they need somebody. */
export function boardScreen({ branches, running, breakages }: Board, view: View): string[] {
  const { paint, columns, rows, message, selected } = view
  const line = (text: string) => cut(text, columns)
  const heading = (text: string) => paint('bold', line(text))
  const free = Math.max(3, rows - HEADINGS * 2 - FOOT)
  const [forBreakages, forRunning] = [share(free, breakages.length), share(free, running.length)]
  const from = Math.min(Math.max(0, selected - forBreakages + 1), Math.max(0, breakages.length - forBreakages))
  const sections = [
    heading(`Breakages (${breakages.length})`),
    ...(breakages.length === 0 ? [line('  None is open.')] : []),
    ...breakages.slice(from, from + forBreakages).map((each, index) => {
      const mark = from + index === selected ? '>' : ' '
      const owner = each.owner_user_id ? `user:${each.owner_user_id}` : 'nobody'
      const cause = withoutFolders(each.evidence[0]?.text.trim() || each.cause)
      const text = line(
        `${mark} ${each.id}  ${pad(owner, 8)}  ${relative(each.opened_at, view.now)}  ${clean(jobsInWords(each))}: ${clean(cause)}`,
      )
      return from + index === selected ? paint('bold', text) : paintWord(paint, each.state, text)
    }),
    '',
    heading(`Running builds (${running.length})`),
    ...(running.length === 0 ? [line('  None is running.')] : []),
    ...running.slice(0, forRunning).map((build) => {
      const seconds =
        build.started_at === null ? undefined : Math.max(0, Math.round((view.now - Date.parse(build.started_at)) / 1000))
      const name = `${build.ci_job_name || 'Build'}${build.build_number ? ` #${build.build_number}` : ''}`
      const facts = [build.branch, build.phase || build.status, seconds === undefined ? '' : duration(seconds)]
      return line(`  ${clean([name, ...facts].filter(Boolean).join('  '))}`)
    }),
    '',
    heading(`Branches (${branches.length})`),
    ...(branches.length === 0 ? [line('  A branch appears with its first build or change.')] : []),
  ]
  const left = Math.max(1, rows - sections.length - FOOT)
  const states = branches.slice(0, left).map(({ name, state, jobs, red_since }) => {
    const red = jobs.flatMap((job) => (job.state === 'red' ? [job.name] : [])).join(', ')
    const since = red_since ? `  ${relative(red_since, view.now)}` : ''
    return paintWord(paint, state, line(`  ${clean(name)}  ${state}${since}${red && `  ${clean(red)}`}`))
  })
  return [...sections, ...states, '', message ? line(clean(message)) : paint('dim', line(KEYS))]
}

/** No section takes more than half of the screen. */
const share = (free: number, wanted: number) => Math.min(wanted, Math.max(1, Math.floor(free / 2)))
