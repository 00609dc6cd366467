import { COMMAND, commandEnd, PHASES } from '../../../../contract/log-parts.ts'
import type { Mark } from './group-marks.ts'

/** Targets and projects as printed by Gradle, Maven, MSBuild and Visual Studio, Xcode. */
const TASK =
  /^(?:> (?:Task|Configure project) :|\[INFO\] --- \S+:\S+ .{0,200}@ |(?:\d{1,4}>)?------ [\w ]{1,30} started: Project: |\s{0,4}(?:\d{1,4}>)?Project "[^"]{1,400}".{0,500} on node \d|=== [A-Z]{4,20} TARGET )/
const TASK_END =
  /^(?:BUILD (?:SUCCESSFUL|FAILED)\b|FAILURE: Build |\[INFO\] (?:BUILD |Reactor Summary)|\s{0,4}(?:\d{1,4}>)?Done Building Project |={5,} [\w ]{1,30}: \d)/
/** A quick check for most lines. */
const PHASE = new RegExp(PHASES.map(({ when }) => when.source).join('|'))

/**
 * The section of a line without CI markers: commands, phases of an engine, targets of a build tool. `hasPhases`: whether Unreal's tool
 * marked them itself.
 */
export function impliedMark(text: string, hasPhases: boolean): Mark | undefined {
  if (COMMAND.test(text)) return { kind: 'open', family: 'command', name: '' }
  if (commandEnd(text)) return { kind: 'close', family: 'command', name: '' }
  if (TASK.test(text)) return { kind: 'open', family: 'task', name: '' }
  if (TASK_END.test(text)) return { kind: 'close', family: 'task', name: '' }
  return hasPhases || !PHASE.test(text) ? undefined : phaseMark(text)
}

function phaseMark(text: string): Mark | undefined {
  const { begins, ends = '', isInside } = PHASES.find(({ when }) => when.test(text))!
  const family = isInside ? 'inner phase' : 'engine phase'
  return begins === undefined ? { kind: 'close', family, name: ends } : { kind: 'open', family, name: begins }
}
