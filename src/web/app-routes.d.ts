declare module 'virtual:app-routes' {
  /** Method, path and kind of answer of every route, rendered from the contract when the app is built. */
  const appRoutes: Record<import('../contract/app/routes.ts').AppName, [method: string, path: string, answer: 'json' | 'text']>
  export default appRoutes
}
