/** The engines to choose from for a project. */
export const ENGINES = [
  ['unreal', 'Unreal Engine'],
  ['unity', 'Unity'],
  ['godot', 'Godot'],
  ['custom', 'Other'],
] as const
