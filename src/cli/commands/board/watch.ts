import { emitKeypressEvents, type Key } from 'node:readline'
import { usage } from '../../../terminal/failures.ts'
import { browse } from '../../connection/browser.ts'
import { command } from '../../program/command.ts'
import { SUMMARIES } from '../../summaries.ts'
import { type Board, followBoard } from './board.ts'
import { boardScreen } from './screen.ts'

const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'
const TICK_MS = 1_000

export const watch = command({
  name: 'watch',
  summary: SUMMARIES.watch,
  project: true,
  web: ({ project }) => `/projects/${project}`,
  details: `Keys: up and down (or k and j) select a breakage, c claims it for you, o or Enter opens it in the browser, q quits.

It follows the event stream and needs a terminal. To print events as lines instead, run: goldmaster feed --follow`,
  examples: ['watch', 'watch --project 1'],
  async run(call) {
    const { client, project, out, env } = call
    if (!out.forPeople || !process.stdin.isTTY)
      throw usage('This needs a terminal. To print events as lines, run: goldmaster feed --follow')
    const ended = new AbortController()
    let board: Board | undefined
    let selected = 0
    let message = ''
    /** Of the connection: it is over when the board can be read again. */
    let problem = ''
    const draw = () => {
      // The other screen is back: what arrives late would be written over it.
      if (!board || ended.signal.aborted) return
      const { columns = 80, rows = 24 } = process.stdout
      const lines = boardScreen(board, { paint: out.paint, columns, rows, selected, message, now: Date.now() })
      process.stdout.write(
        `\x1b[H${lines
          .slice(0, rows)
          .map((line) => `${line}\x1b[K`)
          .join('\r\n')}\x1b[J`,
      )
    }
    const say = (text: string) => {
      message = text
      draw()
    }
    const act = async (name: string | undefined) => {
      const chosen = board?.breakages[selected]
      if (name === 'down' || name === 'j') selected = Math.min(selected + 1, Math.max(0, (board?.breakages.length ?? 0) - 1))
      if (name === 'up' || name === 'k') selected = Math.max(0, selected - 1)
      if (name === 'q') ended.abort()
      if ((name === 'o' || name === 'return') && chosen && !(await browse(chosen.urls.web, env))) return say(chosen.urls.web)
      if (name === 'c' && chosen) {
        const { id } = await client.editBreakage({ project_id: project, id: String(chosen.id), body: { state: 'claimed' } })
        return say(`Breakage ${id} is yours.`)
      }
      say('')
    }
    const pressed = (_: string, { name, ctrl }: Key) => {
      if (ctrl && name === 'c') return ended.abort()
      act(name).catch((error: Error) => say(error.message))
    }
    const stop = () => ended.abort()
    emitKeypressEvents(process.stdin)
    process.stdin.setRawMode(true).resume().on('keypress', pressed)
    process.on('SIGTERM', stop).on('SIGHUP', stop)
    process.stdout.on('resize', draw).write(ENTER)
    const ticks = setInterval(draw, TICK_MS)
    try {
      await followBoard(call, {
        show(seen) {
          board = seen
          if (message === problem) message = ''
          selected = Math.min(selected, Math.max(0, seen.breakages.length - 1))
          draw()
        },
        note(text) {
          problem = text
          say(text)
        },
        signal: ended.signal,
      })
    } finally {
      clearInterval(ticks)
      process.stdout.off('resize', draw).write(LEAVE)
      process.stdin.off('keypress', pressed).setRawMode(false).pause()
      process.off('SIGTERM', stop).off('SIGHUP', stop)
    }
  },
})
