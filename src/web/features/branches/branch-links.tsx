import { Link } from '@tanstack/react-router'

/** Names of branches, each linked to its state. */
export const BranchLinks = ({ projectId, names }: { projectId: string; names: readonly string[] }) => (
  <span className="flex min-w-0 flex-wrap gap-x-3">
    {names.map((name) => (
      <Link
        key={name}
        to="/projects/$projectId/branches"
        params={{ projectId }}
        search={{ branch: name } as never}
        className="wrap-anywhere underline"
      >
        <bdi>{name}</bdi>
      </Link>
    ))}
  </span>
)
