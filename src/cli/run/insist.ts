import type { BuildService, Outcome } from './service.ts'

/** Retries until it is accepted, refused or too late. If a proxy accepts less than the service, less of the log is sent. */
export async function insist<R extends { logs_tail?: string }>(
  service: BuildService,
  report: R,
  timeout: number,
): Promise<Outcome> {
  const until = performance.now() + timeout
  let sent = report
  for (let wait = 250; ; wait *= 2) {
    const outcome = await service.report(sent, Math.max(1, Math.ceil((until - performance.now()) / 1000)))
    const pause = outcome.kind === 'later' ? (outcome.seconds === undefined ? wait : outcome.seconds * 1000) : 0
    if (outcome.kind !== 'later' || performance.now() + pause >= until) return outcome
    if (outcome.too_large && sent.logs_tail) sent = { ...sent, logs_tail: sent.logs_tail.slice(-sent.logs_tail.length / 4) }
    await new Promise((done) => setTimeout(done, pause))
  }
}
