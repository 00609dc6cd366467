declare module 'virtual:doors' {
  /** Method, path and kind of answer of every route, rendered from the contract when the app is built. */
  const doors: Record<import('../contract/app/routes.ts').AppName, [method: string, path: string, answer: 'json' | 'text']>
  export default doors
}
