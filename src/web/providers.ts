import type { Provider } from '../contract/app/integrations.ts'
import { CHAT_VENDORS } from '../contract/channels.ts'
import { useApi } from './queries.ts'

/** Every available tool; empty until loaded. They change only with the service's version. */
export const useProviders = (): Provider[] =>
  useApi('listProviders', {}, { stale: Number.POSITIVE_INFINITY }).data?.providers ?? []

/** The name of a tool or a chat; an unknown one keeps its id. */
export function useProviderLabel(): (provider: string) => string {
  const providers = useProviders()
  const chats: Record<string, string> = CHAT_VENDORS
  return (provider) => providers.find(({ name }) => name === provider)?.label ?? chats[provider] ?? provider
}
