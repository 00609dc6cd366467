import { describe, expect, test } from 'vitest'
import { openNewsroom } from '../../../test/support/studios/newsroom.ts'

const { id, walk } = openNewsroom()

describe('an event', () => {
  const find = async (type: string, target: string) =>
    (await walk(`limit=50&event_type=${type}`)).find((event) => event.target_ref === target)

  test('of a change has its sanitized author and its first line', async () => {
    const change = (await walk('limit=50&event_type=change.submitted')).at(-1)!
    expect(change).toMatchObject({
      actor: 'Kim Doe',
      status: 'info',
      url: expect.stringMatching(/^\/projects\/\d+\/changes\/\d+$/),
    })
    expect(change.message).toBe(
      `Kim Doe submitted ${change.target_ref}: Paint ${change.message.match(/Paint (\d+)/)![1]} for boss`,
    )
  })

  test('of a build, approval, task or deployment has its pills and references', async () => {
    expect(await find('build_run.failed', 'Night Build #1')).toMatchObject({
      status: 'err',
      actor: 'system',
      message: expect.stringContaining('Night Build #1 failed'),
    })
    expect(await find('build_run.completed', 'Night Build #2')).toMatchObject({ status: 'warn' })
    expect(await find('build_run.completed', 'Night Build #0')).toMatchObject({ status: 'ok' })
    expect(await find('approval.requested', 'T_0.png')).toMatchObject({ status: 'warn', actor: 'system' })
    expect(await find('approval.granted', 'T_1.png')).toMatchObject({ status: 'ok', actor: `user:${id('users', 'kim')}` })
    expect(await find('approval.denied', 'T_2.png')).toMatchObject({ status: 'err' })
    expect(await find('approval.ignored', 'T_3.png')).toMatchObject({ status: 'neutral' })
    expect(await find('deployment.created', 'steam 1.0')).toMatchObject({ status: 'info', message: 'steam 1.0 is live' })
    const tasks = await walk('limit=50&event_type=task.state_changed')
    expect(new Set(tasks.map((event) => event.actor))).toEqual(
      new Set(['agent:cook-doctor', `user:${id('users', 'kim')}`, 'system']),
    )
  })

  test("never contains a member's name or an address", async () => {
    const text = JSON.stringify(await walk('limit=50'))
    expect(text).not.toContain('Kim Member')
    expect(text).not.toContain('@')
  })
})
