import type { Step } from '../../facts.ts'
import { at, list, number, text } from '../../reading.ts'

/** More failed assets than anybody reads one by one. */
const SHOWN = 50

interface Cooked {
  path: string
  ok: boolean
  ms?: number
  before?: number
  after?: number
  error?: string
}

/** `asset` is a path with its measurements next to it, or an object like one of `assets`. */
function assetsOf(body: unknown): Cooked[] {
  const single = at(body, 'asset')
  return [
    typeof single === 'string' ? cooked(body, single) : cooked(single),
    ...list(at(body, 'assets')).map((item) => cooked(item)),
  ].filter((asset) => asset !== undefined)
}

function cooked(item: unknown, known?: string): Cooked | undefined {
  const path = text(known ?? (typeof item === 'string' ? item : at(item, 'path')))
  if (path === undefined) return undefined
  const error = text(at(item, 'error')) ?? text(at(item, 'message'))
  const reported = at(item, 'ok')
  const ok = reported === undefined ? text(at(item, 'error')) === undefined : isTrue(reported)
  return {
    path,
    ok,
    ms: amount(at(item, 'ms')),
    before: amount(at(item, 'size_before')),
    after: amount(at(item, 'size_after')),
    error,
  }
}

const isTrue = (value: unknown) =>
  value === true || value === 1 || (typeof value === 'string' && /^(?:true|1|ok|yes)$/i.test(value))

const amount = (value: unknown): number | undefined => {
  const reported = number(value)
  return reported !== undefined && reported >= 0 ? reported : undefined
}

/** A failed asset is a separate step: later assets update the cooking step, and the failure must not be lost. */
export function failedAssets(body: unknown): Step[] {
  const failures = assetsOf(body).filter((asset) => !asset.ok)
  return failures.slice(0, SHOWN).map((asset) => ({ name: `cook ${asset.path}`, status: 'failed', detail: asset.error }))
}

/** `412/1200 cooked; T_Rock.uasset in 12 ms, 4 MB to 1.2 MB`; failures first. */
export function cookingDetail(body: unknown): string | undefined {
  const assets = assetsOf(body)
  const failures = assets.filter((asset) => !asset.ok)
  const parts = [
    failures.length > 0 ? failureText(failures) : undefined,
    countText(body),
    assets.length > 0 ? costText(assets) : undefined,
  ]
  return text(parts.filter((part) => part !== undefined).join('; '))
}

const failureText = (failures: Cooked[]) =>
  failures.length === 1
    ? `${failures[0]!.path} failed${failures[0]!.error ? `: ${failures[0]!.error}` : ''}`
    : `${failures.length} assets failed, first ${failures[0]!.path}`

function countText(body: unknown): string | undefined {
  const [cooked, total] = [amount(at(body, 'cooked')), amount(at(body, 'total'))]
  if (cooked === undefined) return undefined
  return total === undefined ? `${cooked} cooked` : `${cooked}/${total} cooked`
}

function costText(assets: Cooked[]): string {
  const sum = (name: 'ms' | 'before' | 'after') =>
    assets.some((asset) => asset[name] !== undefined) ? assets.reduce((total, asset) => total + (asset[name] ?? 0), 0) : undefined
  const [ms, before, after] = [sum('ms'), sum('before'), sum('after')]
  const name = assets.length === 1 ? assets[0]!.path : `${assets.length} assets`
  const size = before !== undefined && after !== undefined ? `, ${bytes(before)} to ${bytes(after)}` : ''
  return `${name}${ms === undefined ? '' : ` in ${ms} ms`}${size}`
}

function bytes(count: number): string {
  const unit = count < 1e3 ? 0 : count < 1e6 ? 1 : count < 1e9 ? 2 : 3
  return `${Number((count / 1000 ** unit).toFixed(1))} ${['B', 'kB', 'MB', 'GB'][unit]}`
}
