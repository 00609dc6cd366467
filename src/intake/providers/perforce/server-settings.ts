import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'With a server to ask, author, description and files of a changelist are fetched when the trigger sends only its number.',
  fields: [
    {
      key: 'server',
      label: 'Perforce server',
      hint: 'ssl:perforce.example.com:1666; a private address must be allowed by the operator.',
    },
    { key: 'user', label: 'User' },
    { key: 'password', label: 'Password or ticket' },
    { key: 'fingerprint', label: 'Fingerprint of the server', hint: 'For ssl: as p4 trust shows it.' },
    { key: 'charset', label: 'Character set', hint: 'utf8 on a Unicode server, else empty.' },
    {
      key: 'branches',
      label: 'Streams or branches',
      hint: '//game/main, //game/rel-*; empty: as the server tells, else the first two folders.',
    },
    {
      key: 'merge_accounts',
      label: 'Merge accounts',
      hint: 'robomerge, builder: users that only merge. Their changelists belong to the co-author or to the author of the source.',
    },
    {
      key: 'swarm',
      label: 'P4 Code Review (Swarm)',
      hint: 'https://swarm.example.com, where changes can be looked at; empty: as the server tells.',
    },
  ],
}
