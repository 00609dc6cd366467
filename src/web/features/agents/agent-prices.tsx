import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { TextArea, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'
import { linesOfPrices, pricesOf } from './agent-price-lines.ts'

/** What an hour of an agent costs, for the cost of builds. */
export function AgentPrices({ settings, locked }: { settings: AppReply<'showProjectSettings'>; locked: boolean }) {
  const { id, agent_prices } = settings
  const [stored, storedCurrency] = [linesOfPrices(agent_prices), agent_prices?.currency ?? 'EUR']
  const [draft, setDraft, clear] = useDraft(`agent prices ${id}`, stored)
  const [currency, setCurrency, clearCurrency] = useDraft(`agent currency ${id}`, storedCurrency)
  const edit = useWrite('editProject', ['showProjectSettings', 'showCosts', 'showBreakage'])
  const submit = async () => {
    await edit.mutateAsync({ project_id: id, body: { agent_prices: pricesOf(draft, currency) } })
    clear()
    clearCurrency()
  }
  const isSaved = draft.trim() === stored && currency === storedCurrency
  return (
    <Section title="Agent prices">
      <Form action="Save" submit={submit} done="Saved" disabled={locked || isSaved}>
        <TextArea
          label="Price per hour"
          hint="One agent per line with its price per hour; * matches any text, and the first matching line counts. Used for the cost of builds and breakages."
          placeholder={'BUILD-MAC-*: 6.50\n*: 2'}
          rows={3}
          disabled={locked}
          value={draft}
          onChange={setDraft}
        />
        <TextField
          label="Currency"
          hint="Three letters, such as EUR or USD"
          maxLength={3}
          disabled={locked}
          value={currency}
          onChange={setCurrency}
        />
      </Form>
    </Section>
  )
}
