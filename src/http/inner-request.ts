import { AsyncLocalStorage } from 'node:async_hooks'

/** Set while the service calls itself on behalf of a request that was already counted. */
const onBehalf = new AsyncLocalStorage<true>()
export const isCounted = () => onBehalf.getStore() === true

/** An injected request starts when it is awaited, which must happen inside. */
export const inner = <T>(ask: () => PromiseLike<T>): Promise<T> => onBehalf.run(true, async () => await ask())
