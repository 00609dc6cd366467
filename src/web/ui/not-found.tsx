import { Link } from '@tanstack/react-router'
import { Empty } from './empty.tsx'

/** A record without access looks like one that does not exist. */
export const NotFound = () => (
  <Empty
    title="Page not found"
    action={
      <Link to="/feed" className="text-sm underline">
        Go to the feed
      </Link>
    }
  >
    Check the URL, or ask for access to the project.
  </Empty>
)
