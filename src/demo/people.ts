/** All people are fictional; `.example` is a reserved domain. */
export const DOMAIN = 'ninthteapot.example'

interface Person {
  name: string
  perforce?: string
  github?: string
  lore?: string
  jira?: string
  linear?: string
}

export const PEOPLE = {
  maren: { name: 'Maren Holt', perforce: 'mholt', github: 'marenholt-np', jira: 'maren.holt', linear: 'maren' },
  idris: { name: 'Idris Vale', perforce: 'ivale', jira: 'idris.vale' },
  yuki: { name: 'Yuki Sorensen', perforce: 'ysorensen', jira: 'yuki.sorensen' },
  pia: { name: 'Pia Lindqvist', perforce: 'plindqvist', github: 'pia-paints-np', lore: 'pia' },
  teo: { name: 'Teo Marchetti', perforce: 'tmarchetti', github: 'teo-np', jira: 'teo.marchetti' },
  nadia: { name: 'Nadia Okoro', github: 'nadia-okoro-np', lore: 'nadia', linear: 'nadia' },
  bram: { name: 'Bram Achterberg', perforce: 'bachterberg', github: 'bram-builds-np', lore: 'bram', jira: 'bram.a' },
  june: { name: 'June Castellane', perforce: 'jcastellane', github: 'june-np', lore: 'june', linear: 'june' },
} satisfies Record<string, Person>
export type PersonKey = keyof typeof PEOPLE

/** The owner, who signs in. */
export const OWNER: PersonKey = 'maren'

/** Agents take tasks under their handle; they have no user. */
export const AGENTS = ['cook-doctor', 'triage-bot', 'patch-scribe'] as const
export type Handle = (typeof AGENTS)[number]

export const isPerson = (key: string): key is PersonKey => Object.hasOwn(PEOPLE, key)

export const mailOf = (key: string) => `${key}@${DOMAIN}`

/** As in version control. */
export const authorOf = (key: string) => `${isPerson(key) ? PEOPLE[key].name : key} <${mailOf(key)}>`
