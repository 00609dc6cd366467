import { Link } from '@tanstack/react-router'
import { Empty } from './empty.tsx'

/** What nobody may know about looks like what does not exist. */
export const NotHere = () => (
  <Empty
    title="This is not here"
    action={
      <Link to="/feed" className="text-sm underline">
        To the feed
      </Link>
    }
  >
    It does not exist, or it belongs to somebody else.
  </Empty>
)
