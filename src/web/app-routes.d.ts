declare module 'virtual:app-routes' {
  type Source = import('../contract/events.ts').EventSource
  /**
   * Every route, generated from the contract when the app is built. Last come the records it shows, and whether it only shows the one of
   * its path.
   */
  type Entry = [method: string, path: string, answer: 'json' | 'text', shows?: readonly Source[], single?: boolean]
  const appRoutes: Record<import('../contract/app/routes.ts').AppName, Entry>
  export default appRoutes
}
