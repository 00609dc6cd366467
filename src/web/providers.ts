import type { Provider } from '../contract/app/tool-shapes.ts'
import { CHAT_VENDORS } from '../contract/channels.ts'
import { useApi } from './queries.ts'

/** Every tool that can be connected; empty until they are known. They change with the service's version only. */
export const useProviders = (): Provider[] =>
  useApi('listProviders', {}, { stale: Number.POSITIVE_INFINITY }).data?.providers ?? []

/** As people call a tool or a chat; one that is not known goes by its name. */
export function useProviderLabel(): (provider: string) => string {
  const providers = useProviders()
  const chats: Record<string, string> = CHAT_VENDORS
  return (provider) => providers.find(({ name }) => name === provider)?.label ?? chats[provider] ?? provider
}
