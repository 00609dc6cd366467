import { AsyncLocalStorage } from 'node:async_hooks'

/** Set while the service asks itself on behalf of a request that was counted. */
const onBehalf = new AsyncLocalStorage<true>()
export const isCounted = () => onBehalf.getStore() === true

/** An injected request begins when it is awaited, which must be inside. */
export const inner = <T>(ask: () => PromiseLike<T>): Promise<T> => onBehalf.run(true, async () => await ask())
