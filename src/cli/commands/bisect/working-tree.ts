import { spawnSync } from 'node:child_process'
import { Failure } from '../../../terminal/failures.ts'

/** The git working tree of a folder. */
export class WorkingTree {
  readonly #folder: string
  /** The branch, or the commit of a detached head. */
  readonly #start: string

  constructor(folder: string) {
    this.#folder = folder
    this.#start = this.#find('symbolic-ref', '--short', '-q', 'HEAD') ?? this.#git('rev-parse', 'HEAD')
    if (this.#git('status', '--porcelain', '--untracked-files=no') !== '')
      throw new Failure('The working tree has uncommitted changes. Commit or stash them first.')
  }

  /** The commits after one and up to another along the first parents, oldest first. */
  between(good: string, bad: string): string[] {
    if (this.#find('merge-base', '--is-ancestor', good, bad) === undefined)
      throw new Failure(`${good} is not an ancestor of ${bad}.`)
    return this.#git('rev-list', '--first-parent', '--reverse', `${good}..${bad}`, '--').split('\n').filter(Boolean)
  }

  checkOut(commit: string) {
    this.#git('checkout', '-q', '--detach', commit)
  }

  restore() {
    this.#git('checkout', '-q', this.#start)
  }

  /** Undefined if git says no. */
  #find(...args: string[]): string | undefined {
    const { status, stdout } = this.#run(args)
    return status === 0 ? stdout.trim() : undefined
  }

  #git(...args: string[]): string {
    const { status, stdout, stderr } = this.#run(args)
    if (status !== 0) throw new Failure(`git ${args[0]} failed: ${stderr.trim() || `exit code ${status}`}`)
    return stdout.trim()
  }

  #run(args: string[]) {
    const done = spawnSync('git', args, { cwd: this.#folder, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 })
    if (done.error) throw new Failure(`Can't run git: ${done.error.message}`)
    return done
  }
}
