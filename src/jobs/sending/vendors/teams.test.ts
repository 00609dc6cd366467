import { expect, test } from 'vitest'
import { KIM, postOf } from '../../../../test/support/chat/announcements.ts'
import { teams } from './teams.ts'

const TO = { room: '', secret: 'https://prod-1.westeurope.logic.azure.com:443/workflows/1/invoke?sp=%2Ftriggers%2Fmanual&sig=x' }
const read = (status: number, body = '') => teams.read({ status, headers: {}, body })

test('an Adaptive Card is sent to the URL as configured', () => {
  const { url, body } = teams.post(TO, postOf({}, { 1: 'kim@owl.example' }), false)
  expect(url).toBe(TO.secret)
  const { type, summary, attachments } = JSON.parse(body!)
  expect({ type, summary }).toEqual({ type: 'message', summary: 'Compile error on main' })
  const { content, contentType } = attachments[0]
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
  expect(content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' })
  const [heading, evidence, facts, ping] = content.body
  expect(heading).toMatchObject({
    text: '[Compile error on main](https://goldmaster.example/projects/7/breakages/41?a=1&b=2)',
    color: 'Attention',
  })
  expect(evidence).toMatchObject({ fontType: 'Monospace', text: expect.stringContaining('\\`identifier\\`') })
  expect(facts.facts.map(({ title }: { title: string }) => title)).toEqual(['Jobs', 'Since', 'Owner', 'Suspect'])
  expect(ping.text).toBe('<at>Kim Sato</at>')
  expect(content.msteams.entities).toEqual([
    { type: 'mention', text: '<at>Kim Sato</at>', mentioned: { id: 'kim@owl.example', name: 'Kim Sato' } },
  ])
  expect(content.actions.map(({ title }: { title: string }) => title)).toEqual(['Open', 'Claim', 'Mute'])
})

test('a person with an unknown account there is not mentioned', () => {
  const { content } = JSON.parse(teams.post(TO, postOf({ mentions: [KIM] }), false).body!).attachments[0]
  expect(content.msteams.entities).toEqual([])
  expect(JSON.stringify(content.body)).not.toContain('<at>')
})

test('the reply only says that a flow has started', () => {
  expect(read(202)).toEqual({ kind: 'sent', reference: '' })
  expect(read(200, '1')).toEqual({ kind: 'sent', reference: '' })
})

test('a failure reported with 200 is detected', () => {
  const words = 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error'
  expect(read(200, `${words} 429 with ContextId tcid=0`)).toMatchObject({ kind: 'later' })
  expect(read(200, `${words} 413 with ContextId tcid=0`)).toMatchObject({ kind: 'refused' })
})

test.each([
  [400, 'TriggerInputSchemaMismatch', { kind: 'refused' }],
  [400, 'InvalidRequestContent', { kind: 'refused' }],
  [401, 'DirectApiAuthorizationRequired', { kind: 'gone', why: expect.stringContaining('Create a new workflow') }],
  [404, 'WorkflowNotFound', { kind: 'gone', why: expect.stringContaining('Create a new workflow') }],
  [404, 'WorkflowTriggerIsNotEnabled', { kind: 'gone', why: expect.stringContaining('Turn it on') }],
])('%i %s', (status, code, outcome) => {
  expect(read(status, JSON.stringify({ error: { code, message: 'words' } }))).toMatchObject(outcome)
})
