interface Owned {
  owners: readonly { user_id: number | null; text: string | null }[]
}

export const ownersOf = ({ owners }: Owned) =>
  owners.map(({ user_id, text }) => text ?? `user:${user_id}`).join(', ') || undefined

/** The owners of a test by the rules of its project. */
export const owner = { title: 'owner', cell: ownersOf } as const
