import type { Follow, Followed } from './watch.ts'

interface Project {
  followers: Set<Followed>
  begun: Promise<() => void>
}

/** Follows a project once, however many subscriptions of one connection need it. */
export function sharedFollow(follow: Follow): Follow {
  const projects = new Map<string, Project>()

  function begin(id: string): Project {
    const followers = new Set<Followed>()
    const all = {
      event(page: string | undefined) {
        for (const each of followers) each.event(page)
      },
      ended() {
        projects.delete(id)
        for (const each of followers) each.ended()
      },
    }
    const project = { followers, begun: follow(id, all) }
    projects.set(id, project)
    project.begun.catch(() => projects.delete(id))
    return project
  }

  return async (id, followed) => {
    const project = projects.get(id) ?? begin(id)
    project.followers.add(followed)
    const stop = await project.begun
    return () => {
      project.followers.delete(followed)
      if (project.followers.size > 0) return
      if (projects.get(id) === project) projects.delete(id)
      stop()
    }
  }
}
