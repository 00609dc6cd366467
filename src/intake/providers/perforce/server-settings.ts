import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter your Perforce server, author, description and files of a changelist are fetched when the trigger sends only its number.',
  writeBackDoes:
    'Votes on the review of a shelf in P4 Code Review once its preflights have ended, keeps one comment there with the verdict of every job, and answers its test run.',
  writeBackNeeds: 'the URL of P4 Code Review, and a user who may see the reviews, with a ticket as the password',
  fields: [
    {
      key: 'server',
      label: 'Perforce server',
      hint: 'ssl:perforce.example.com:1666. The operator must allow private addresses.',
    },
    { key: 'user', label: 'User' },
    { key: 'password', label: 'Password or ticket' },
    { key: 'fingerprint', label: 'Server fingerprint', hint: 'For ssl servers, as shown by p4 trust.' },
    { key: 'charset', label: 'Character set', hint: 'utf8 on a Unicode server, otherwise empty.' },
    {
      key: 'branches',
      label: 'Streams or branches',
      hint: '//game/main, //game/rel-*. Empty: the streams of the server, otherwise the first two folders.',
    },
    {
      key: 'depot_paths',
      label: 'Depot paths',
      hint: '//game/main/..., //game/rel-*/.... Changelists below them can be imported, and are looked for every night.',
    },
    {
      key: 'merge_accounts',
      label: 'Merge accounts',
      hint: 'robomerge, builder. Users that only merge: their changelists count for the co-author or the author of the source.',
    },
    {
      key: 'swarm',
      label: 'P4 Code Review (Swarm)',
      hint: 'https://swarm.example.com, for links to changes and for votes. Empty: links to the URL that the server reports, and no votes.',
    },
  ],
}
