/** The checkout folders of build services: everything below is the project's own. */
const CHECKOUTS =
  /^(?:\/home\/runner\/work|\/Users\/runner\/work|\/__w|[A-Za-z]:[\\/]a|.{0,200}?[\\/]_work)[\\/](?<repository>[^\\/]+)[\\/]\k<repository>[\\/]|^(?:[A-Za-z]:[\\/]a|\/home\/vsts\/work|.{0,200}?[\\/]_work)[\\/]\d+[\\/]s[\\/]|^\/home\/travis\/build\/[^/]+\/[^/]+\/|^\/builds\/[^/]+\/[^/]+\/|^\/(?:github\/workspace|bitrise\/src|root\/project|home\/circleci\/project|Users\/distiller\/project)\/|^.{0,200}?[\\/](?:jenkins|Jenkins|agent)[^\\/]*[\\/]workspace[\\/][^\\/]+[\\/]|^.{0,200}?[\\/]buildAgent[\\/]work[\\/][0-9a-f]{8,40}[\\/]|^.{0,200}?[\\/]buildkite-agent[\\/]builds[\\/][^\\/]+[\\/][^\\/]+[\\/][^\\/]+[\\/]/

/** Folders of every engine or Gradle project: the part before them depends on the machine. */
const PROJECT_FOLDERS =
  /^.*?[\\/](?=(?:Engine[\\/](?:Source|Plugins|Shaders|Content|Config)|Assets|Source|Plugins|Content|ProjectSettings)[\\/]|[^\\/]+[\\/](?:src[\\/](?:main|test|androidTest|debug|release)[\\/]|build\.gradle(?:\.kts)?$))/

const ABSOLUTE = /^(?:[A-Za-z]:)?[\\/]/

/** A path within the project, if its root can be determined; otherwise as printed. */
export const inWorkspace = (path: string): string => {
  if (!ABSOLUTE.test(path)) return path
  const rest = path.replace(CHECKOUTS, '')
  return rest === path ? path.replace(PROJECT_FOLDERS, '') : rest
}
