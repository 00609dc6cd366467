import type { Answer, Asking, Studio } from '../studio.ts'

/** A browser without pages: it keeps its cookie and sends the origin headers. */
export interface Visitor {
  cookie: string
  ask(path: string, asking?: Asking): Promise<Answer>
  /** Below `/app/api/v1`. */
  app(path: string, asking?: Asking): Promise<Answer>
}

export function visit(studio: Studio): Visitor {
  const visitor: Visitor = {
    cookie: '',
    async ask(path, asking = {}) {
      const answer = await studio.ask(path, {
        ...asking,
        headers: { 'sec-fetch-site': 'same-origin', ...(visitor.cookie ? { cookie: visitor.cookie } : {}), ...asking.headers },
      })
      for (const set of answer.headers.getSetCookie()) visitor.cookie = set.split(';', 1)[0]!
      return answer
    },
    app: (path, asking) => visitor.ask(`/app/api/v1${path}`, asking),
  }
  return visitor
}

export async function signIn(studio: Studio, email: string, password: string): Promise<Visitor> {
  const visitor = visit(studio)
  const { status, text } = await visitor.ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password } })
  if (status !== 200) throw new Error(`${email} cannot sign in: ${status} ${text}`)
  return visitor
}
