const PARTS_FOLDER = /^__External(?:Actors|Objects)__$/i

/**
 * The level that a file is a part of, without an extension; undefined for other files. Unreal stores each actor of a level in a file of its
 * own: `Content/__ExternalActors__/Maps/L_City/A/0B/1C2D….uasset` belongs to `Content/Maps/L_City`, and so do its objects.
 */
export function levelOf(path: string): string | undefined {
  // The folders are rare; most paths are told apart by a search for plain text.
  if (!/__External/i.test(path) || !/\.uasset$/i.test(path)) return undefined
  const folders = path.split(/[\\/]/)
  const at = folders.findIndex((folder) => PARTS_FOLDER.test(folder))
  // Below the level there are two folders, and then the file.
  const level = at === -1 ? [] : folders.slice(at + 1, -3)
  return level.length === 0 ? undefined : [...folders.slice(0, at), ...level].join('/')
}
